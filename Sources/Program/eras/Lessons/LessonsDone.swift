import Foundation
import Lessons

/// The lessons that a reader has done, in a file of the user's state, with a number a line; a second file
/// beside it has those whose exercises are solved.
///
/// Errors are ignored, because only marks in a list, and what is checked again, depend on the files.
struct LessonsDone: Sendable {
    /// Nil where the environment names no folder.
    let file: URL?

    /// The file in `XDG_STATE_HOME`, or in that folder's default.
    static func file(_ environment: [String: String]) -> URL? {
        // The XDG specification says to ignore relative paths.
        func folder(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let home = folder("HOME").map { $0 + "/.local/state" }
        return (folder("XDG_STATE_HOME") ?? home).map {
            URL(fileURLWithPath: $0).appendingPathComponent("eras/lessons")
        }
    }

    static var ofUser: LessonsDone {
        LessonsDone(file: file(ProcessInfo.processInfo.environment))
    }

    /// The lessons that were read, or whose exercises are solved.
    var numbers: Set<Int> { Self.numbers(in: file) }

    /// The lessons whose exercises are solved.
    var solved: Set<Int> { Self.numbers(in: solvedFile) }

    private var solvedFile: URL? {
        file?.deletingLastPathComponent().appendingPathComponent("exercises")
    }

    private static func numbers(in file: URL?) -> Set<Int> {
        let bytes = file.flatMap { FileManager.default.contents(atPath: $0.path) } ?? Data()
        let text = String(decoding: bytes, as: UTF8.self)
        return Set(text.split(separator: "\n").compactMap { Int($0) }.filter { 1...18 ~= $0 })
    }

    func add(_ number: Int) { Self.add(number, to: file) }

    /// Adds a lesson whose exercise is solved; it is then done too.
    func addSolved(_ number: Int) {
        add(number)
        Self.add(number, to: solvedFile)
    }

    private static func add(_ number: Int, to file: URL?) {
        guard let file else { return }
        let all = numbers(in: file).union([number]).sorted().map { "\($0)\n" }.joined()
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data(all.utf8).write(to: file, options: .atomic)
    }
}
