import Foundation
import Lessons

/// A child process that runs an experiment, seen from its parent.
struct ExperimentProcess {
    /// How it ended.
    enum Ending {
        case result(ExperimentResult)
        /// One sentence, without its end.
        case failed(String)
    }

    let lesson: Int
    /// Where the child's recording goes; nil where none is wanted.
    var recording: URL?
    var executable = ChildProcess.ownExecutable
    /// Seconds after which it is killed.
    var limit = 120.0

    private var arguments: [String] {
        ["lesson", "--experiment", "\(lesson)"]
            + (recording.map { ["--recording", $0.path] } ?? [])
    }

    /// Starts it, waits for what it says, and ends it.
    func run() -> Ending {
        let child = ChildProcess(
            executable: executable, arguments: arguments, limit: limit, stays: true)
        switch child.run({ output, _ in Self.line(output) }) {
        case .failed(let reason): return .failed(reason)
        case .ended(let line, _, let said):
            let message = line.flatMap {
                try? JSONDecoder().decode(ExperimentMessage.self, from: $0)
            }
            if let result = message?.result { return .result(result) }
            return .failed((message?.error ?? "it ended without a result") + said)
        }
    }

    /// The first line; nil where the output ends before that.
    private static func line(_ output: FileHandle) -> Data? {
        var bytes = Data()
        while true {
            let more = output.availableData
            if more.isEmpty { return nil }
            bytes += more
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { return bytes[..<end] }
        }
    }
}

/// What the child process of an experiment says, in one line.
struct ExperimentMessage: Codable, Sendable {
    var result: ExperimentResult?
    /// Why there is none.
    var error: String?

    /// With its line feed.
    var line: String {
        let data = (try? JSONEncoder().encode(self)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
