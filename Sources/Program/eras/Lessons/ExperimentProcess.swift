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
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ChildProcess.environment(from: ProcessInfo.processInfo.environment)
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            return .failed("it could not be started: \(ErrorSentence.text(for: error))")
        }
        let watchdog = Watchdog(process.processIdentifier, limit: limit)
        let complaints = Complaints(errors.fileHandleForReading)
        let line = Self.line(output.fileHandleForReading)
        let isOverdue = watchdog.end()
        // A child that has said a line stays until now, so the number is its own.
        if line != nil, !isOverdue { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try? input.fileHandleForWriting.close()
        if isOverdue { return .failed("it was not over after \(Int(limit)) s" + complaints.text) }
        let message = line.flatMap { try? JSONDecoder().decode(ExperimentMessage.self, from: $0) }
        if let result = message?.result { return .result(result) }
        return .failed((message?.error ?? "it ended without a result") + complaints.text)
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
