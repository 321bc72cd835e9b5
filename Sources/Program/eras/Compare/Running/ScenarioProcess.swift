import Foundation
import LoopbackServer

/// The parent's side of a child process that runs one scenario in one column.
struct ScenarioProcess {
    enum Ending {
        case report(ChildReport)
        /// A sentence with the last lines of standard error.
        case failed(String)
    }

    let executable: URL
    let options: ChildOptions
    let server: LoopbackServer
    /// Seconds after which it is killed.
    var limit = 120.0

    /// Starts the child, handles its messages and waits for its end.
    func run() -> Ending {
        let child = ChildProcess(
            executable: executable, arguments: options.arguments, limit: limit)
        switch child.run({ serve($0, Replies(handle: $1)) }) {
        case .failed(let reason): return .failed(reason)
        case .ended(let report, let process, let said):
            if let report, report.error == nil, process.terminationStatus == 0 {
                return .report(report)
            }
            if let reason = report?.error { return .failed(reason + said) }
            let kind = process.terminationReason == .uncaughtSignal ? "signal" : "exit code"
            return .failed("it ended with \(kind) \(process.terminationStatus)\(said)")
        }
    }

    /// Reads the child's output to the end.
    private func serve(_ output: FileHandle, _ replies: Replies) -> ChildReport? {
        var report: ChildReport?
        var rest = Data()
        while true {
            let bytes = output.availableData
            if bytes.isEmpty { return report }
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let message = ChildMessage(line: rest[..<end]) {
                    report = handle(message, replies) ?? report
                }
                rest = Data(rest[(end + 1)...])
            }
        }
    }

    /// - Returns: the report, if the message is one.
    private func handle(_ message: ChildMessage, _ replies: Replies) -> ChildReport? {
        let control = DirectControl(server: server)
        switch message {
        case .whenReached(let number, let gate, let count):
            control.whenReached(gate, count: count) { replies.send(number) }
        case .whenLeft(let number, let count):
            control.whenLeft(count: count) { replies.send(number) }
        case .release(let gate): control.release(gate)
        case .report(let report): return report
        }
        return nil
    }
}

/// Writes numbers to the child, one a line, from any thread: short writes to a pipe are atomic.
private struct Replies: Sendable {
    let handle: FileHandle

    /// A write to a child that has ended is ignored.
    func send(_ number: Int) {
        try? handle.write(contentsOf: Data("\(number)\n".utf8))
    }
}

/// A message of a child on its standard output, one a line.
enum ChildMessage: Codable, Sendable {
    /// Asks for a reply with the number, once so many responses have reached the gate.
    case whenReached(number: Int, gate: String, count: Int)
    /// Asks for a reply with the number, once so many clients have disconnected before the end of
    /// their response.
    case whenLeft(number: Int, count: Int)
    case release(gate: String)
    case report(ChildReport)

    /// - Returns: nil for a line that is no message.
    init?(line: some DataProtocol) {
        guard let message = try? JSONDecoder().decode(Self.self, from: Data(line)) else {
            return nil
        }
        self = message
    }

    /// With its line feed.
    var line: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return ((try? encoder.encode(self)) ?? Data()) + Data("\n".utf8)
    }
}

/// The result of a scenario in one column, from its process.
struct ChildReport: Codable, Sendable {
    var outcomes: [Outcome] = []
    var callbacks: [Stage.Callback] = []
    var peakThreads = 0
    /// From the scenario's first call to its last outcome, in milliseconds.
    var wallMilliseconds = 0.0
    /// Processor time of all threads in that time, in milliseconds.
    var processorMilliseconds = 0.0
    /// When the scenario was called, in nanoseconds of the monotonic clock.
    var began: UInt64 = 0
    /// The reason why the scenario could not be run.
    var error: String?
}

extension ChildReport {
    /// A report without times.
    init(_ record: Stage.Record) {
        outcomes = record.outcomes
        callbacks = record.callbacks
        peakThreads = record.peakThreads
    }
}
