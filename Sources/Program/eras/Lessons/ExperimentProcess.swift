import EraLessons
import EventRecorder
import Foundation
import Lessons

/// The parent's side of a child process that runs an experiment.
struct ExperimentProcess {
    /// How it ended.
    enum Ending {
        case result(ExperimentResult)
        /// A sentence without its full stop.
        case failed(String)
    }

    let lesson: Int
    /// The file for the child's recording; nil without one.
    var recording: URL?
    var executable = ChildProcess.ownExecutable
    /// Seconds after which it is killed.
    var limit = 120.0

    private var arguments: [String] {
        ["lesson", "--experiment", "\(lesson)"]
            + (recording.map { ["--recording", $0.path] } ?? [])
    }

    /// Starts the child, waits for its result, and kills it.
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

    /// The first line; nil where the output ends before its end.
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

/// The output of an experiment's child process: one line of JSON.
struct ExperimentMessage: Codable, Sendable {
    var result: ExperimentResult?
    /// Why there is no result.
    var error: String?

    /// With its line feed.
    var line: String {
        let data = (try? JSONEncoder().encode(self)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

/// The child process of an experiment: it runs the experiment, prints the result, and waits until its
/// parent kills it.
///
/// It does not end by itself, because its process identifier could then be reused before the parent kills it. A
/// mistaken variant may have left a thread that never ends.
struct ExperimentChild: Sendable {
    let lesson: Lesson
    /// The path for the recording; nil without one.
    let recording: String?

    /// Does not return: the main thread runs its run loop, as in an application.
    func begin() {
        Thread {
            // The end of the input is the end of the parent.
            while readLine() != nil {}
            ExitCode.failed.leave()
        }.start()
        Thread { Console.toOutput(message.line) }.start()
        RunLoop.main.run()
    }

    private var message: ExperimentMessage {
        do {
            if recording != nil {
                // The thread's name in a timeline.
                EventRecorder.nameThread("caller")
                try EventRecorder.start()
            }
            let result = try lesson.run()
            // Ends the last variant's part of the recording.
            Picture.begin("")
            if let recording {
                let events = EventRecorder.stop()
                try NewFile(recording).save((result.recording ?? events).jsonLines())
            }
            return ExperimentMessage(result: result)
        } catch {
            return ExperimentMessage(error: ErrorSentence.text(for: error))
        }
    }
}
