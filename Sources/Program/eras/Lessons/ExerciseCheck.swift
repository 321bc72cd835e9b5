import Foundation
import Lessons

/// Runs the check of an exercise, which is a program of the package `Exercises` in a checkout.
struct ExerciseCheck {
    let lesson: Lesson
    let language: Language

    /// Returns 0 for a passed check, else its or the compiler's status or signal. Both write to this process's outputs.
    ///
    /// - Throws: `ExerciseError`; Foundation's error where the program cannot be started.
    func run() throws -> Int32 {
        let environment = ProcessInfo.processInfo.environment
        let folder = try Self.folder()
        guard let swift = Self.program("swift", path: environment["PATH"] ?? "") else {
            throw ExerciseError.noSwift
        }
        let process = Process()
        process.executableURL = swift
        process.arguments = ["run", "--package-path", folder.path, lesson.check]
        // The check uses the language of its environment.
        let locale = language == .simplifiedChinese ? "zh_CN.UTF-8" : "C.UTF-8"
        process.environment = environment.merging(["LANG": locale]) { $1 }
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The file that a reader changes.
    ///
    /// - Throws: `ExerciseError`.
    func file() throws -> URL {
        let file = try Self.folder()
            .appendingPathComponent("\(lesson.exercise)/Sources/Exercise.swift")
        guard access(file.path, R_OK) == 0 else { throw ExerciseError.noFile(file.path) }
        return file
    }

    /// The folder `Exercises` for this process.
    private static func folder() throws -> URL {
        let current = FileManager.default.currentDirectoryPath
        let place = URL(fileURLWithPath: current, isDirectory: true)
        guard let folder = folder(from: place) else { throw ExerciseError.noCheckout }
        return folder
    }

    /// The folder `Exercises` of the checkout that contains a folder, or else of the one that this
    /// program was built from.
    static func folder(from start: URL, builtFrom root: URL = LessonText.root) -> URL? {
        var place = start.standardizedFileURL
        var places = [place]
        while place.path != "/", place.pathComponents.count > 1 {
            place.deleteLastPathComponent()
            places.append(place)
        }
        return (places + [root]).map { $0.appendingPathComponent("Exercises") }
            .first { access($0.appendingPathComponent("Package.swift").path, R_OK) == 0 }
    }

    /// A program in the search path.
    static func program(_ name: String, path: String) -> URL? {
        path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { access($0.path, X_OK) == 0 }
    }
}

/// Why an exercise cannot be checked, or a trace of exercise 18 cannot be shown.
enum ExerciseError: Error, CustomStringConvertible {
    case noCheckout
    case noFile(String)
    case noSwift
    case noTrace(String)

    var description: String {
        switch self {
        case .noCheckout:
            "There is no folder Exercises here or above: run it in a checkout of "
                + "OperationNetworking, where your file is."
        case .noFile(let file):
            "There is no readable file \(file): it is the one to change."
        case .noSwift:
            "The program swift is not in PATH: the check is compiled with your file, so it needs "
                + "Swift's toolchain, see https://www.swift.org/install."
        case .noTrace(let file):
            "There is no readable trace at \(file): run it in a checkout of OperationNetworking."
        }
    }
}
