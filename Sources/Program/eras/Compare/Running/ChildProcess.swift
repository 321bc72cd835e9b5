import Foundation
import LoopbackServer

/// A child process that runs one scenario in one column, seen from its parent.
struct ChildProcess {
    /// How it ended.
    enum Ending {
        case report(ChildReport)
        /// One sentence, with the last lines of standard error.
        case failed(String)
    }

    /// This program.
    static let ownExecutable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    let executable: URL
    let options: ChildOptions
    let server: LoopbackServer
    /// Seconds after which it is killed.
    var limit = 120.0

    /// A child's environment: URLSession would send even what is meant for loopback to a proxy, and
    /// a crash would wait for the backtrace program.
    static func environment(from own: [String: String]) -> [String: String] {
        own.filter { !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    }

    /// Starts it, serves its messages and waits for its end.
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
        let report = serve(output.fileHandleForReading, Replies(handle: input.fileHandleForWriting))
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

    /// Reads its output to the end.
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

    /// - Returns: the report, where that is the message.
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

/// Writes numbers to the child, one a line, from any thread; short writes stay whole.
private struct Replies: Sendable {
    let handle: FileHandle

    /// A write to a child that has ended is ignored.
    func send(_ number: Int) {
        try? handle.write(contentsOf: Data("\(number)\n".utf8))
    }
}
