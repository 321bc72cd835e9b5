import Foundation
import LoopbackServer

/// A process that runs one scenario in one era, seen by the one that started it.
struct ChildProcess {
    /// How it ended.
    enum Ending {
        case report(ChildReport)
        /// In one sentence, with what it said on standard error.
        case failed(String)
    }

    /// This program.
    static let ownExecutable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    let executable: URL
    let options: ChildOptions
    let server: LoopbackServer
    /// Seconds after which it is ended.
    var limit = 30.0

    /// A child's environment: URLSession would send even what is meant for loopback to a proxy, and
    /// a crash would wait for the backtrace program.
    static func environment(from own: [String: String]) -> [String: String] {
        own.filter { !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    }

    /// Starts it, answers its questions and waits for its end.
    func run() -> Ending {
        let process = Process()
        process.executableURL = executable
        process.arguments = options.arguments
        process.environment = Self.environment(from: ProcessInfo.processInfo.environment)
        let input = Pipe()
        let output = Pipe()
        let errors = Pipe()
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
        let report = converse(output.fileHandleForReading, Answers(input.fileHandleForWriting))
        let isOverdue = watchdog.end()
        process.waitUntilExit()
        let said = complaints.text
        if isOverdue { return .failed("it was not over after \(Int(limit)) s\(said)") }
        if let report, report.error == nil, process.terminationStatus == 0 {
            return .report(report)
        }
        if let reason = report?.error { return .failed(reason + said) }
        let kind = process.terminationReason == .uncaughtSignal ? "signal" : "exit code"
        return .failed("it ended with \(kind) \(process.terminationStatus)\(said)")
    }

    /// Reads to the end of its output.
    private func converse(_ output: FileHandle, _ answers: Answers) -> ChildReport? {
        var report: ChildReport?
        var rest = Data()
        while true {
            let bytes = output.availableData
            if bytes.isEmpty { return report }
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let message = ChildMessage(line: rest[..<end]) {
                    report = answer(message, answers) ?? report
                }
                rest = Data(rest[(end + 1)...])
            }
        }
    }

    /// - Returns: the report, where that is the message.
    private func answer(_ message: ChildMessage, _ answers: Answers) -> ChildReport? {
        let control = DirectControl(server: server)
        switch message {
        case .whenReached(let number, let gate, let count):
            control.whenReached(gate, count: count) { answers.send(number) }
        case .whenLeft(let number, let count):
            control.whenLeft(count: count) { answers.send(number) }
        case .release(let gate): control.release(gate)
        case .report(let report): return report
        }
        return nil
    }
}

/// Writes numbers to the child, one a line, from any thread.
private struct Answers: @unchecked Sendable {
    // @unchecked because a handle may be written to from any thread; short writes stay whole.
    private let handle: FileHandle

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// What a child that has ended does not read is dropped.
    func send(_ number: Int) {
        try? handle.write(contentsOf: Data("\(number)\n".utf8))
    }
}
