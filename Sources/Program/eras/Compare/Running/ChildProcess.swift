import Foundation
import Locking

/// The parent's side of a child process, which runs this program, or another one.
struct ChildProcess {
    enum Ending<Answer> {
        /// By itself, or after its answer. `said` is ": " and the last lines of its standard error, or
        /// empty.
        case ended(Answer?, Process, said: String)
        /// A sentence without its full stop.
        case failed(String)
    }

    static let ownExecutable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    let executable: URL
    let arguments: [String]
    /// Seconds after which it is killed.
    let limit: Double
    /// Whether it must be killed after its answer.
    var stays = false

    /// A child's environment, without proxies, because URLSession would use them for loopback too, and
    /// without the backtrace program, for which a crash would wait.
    static func environment(from own: [String: String]) -> [String: String] {
        own.filter { !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    }

    /// Starts the child, reads its output and waits for its end.
    ///
    /// - Parameter hear: reads the child's output until it has an answer or the output ends, and may
    ///   write to the child's input.
    func run<Answer>(_ hear: (_ output: FileHandle, _ input: FileHandle) -> Answer?)
        -> Ending<Answer>
    {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = Self.environment(from: ProcessInfo.processInfo.environment)
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            return .failed("it could not be started: \(ErrorSentence.text(for: error))")
        }
        let watchdog = Watchdog(process, limit: limit)
        let complaints = Complaints(errors.fileHandleForReading)
        let answer = hear(output.fileHandleForReading, input.fileHandleForWriting)
        let isOverdue = watchdog.end()
        // The child waits for this, so its process identifier is not reused unless it has crashed.
        if stays, answer != nil, !isOverdue, process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        }
        process.waitUntilExit()
        // The child ends when its input is closed.
        withExtendedLifetime(input) {}
        let said = complaints.text
        if isOverdue { return .failed("it was not over after \(Int(limit)) s\(said)") }
        return .ended(answer, process, said: said)
    }
}

/// Kills a process that takes too long.
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`. Calls out: none.
final class Watchdog: Sendable {
    private enum State {
        case watching, stopped, hasKilled
    }

    private let state = Locked(State.watching)

    /// - Parameter limit: in seconds from now.
    init(_ process: Process, limit: Double) {
        // Weak, because a process keeps its pipes open.
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self, weak process] in
            self?.state.withLock { state in
                // Foundation reaps a process as soon as it ends; its identifier may then be reused.
                guard state == .watching, let process, process.isRunning else { return }
                state = .hasKilled
                kill(process.processIdentifier, SIGKILL)
            }
        }
    }

    /// Stops watching.
    ///
    /// - Returns: whether the process was killed.
    func end() -> Bool {
        state.withLock { state in
            defer { if state == .watching { state = .stopped } }
            return state == .hasKilled
        }
    }
}

/// Reads the standard error of a process while it runs.
///
/// ## Concurrency
/// Call from: any thread. Lock: `bytes`; `text` waits for the group. Calls out: none.
final class Complaints: Sendable {
    private let bytes = Locked(Data())
    private let group = DispatchGroup()

    init(_ handle: FileHandle) {
        group.enter()
        Thread { [self] in
            while true {
                let more = handle.availableData
                if more.isEmpty { break }
                bytes.withLock { $0.append(more) }
            }
            group.leave()
        }.start()
    }

    /// ": " and the last lines, or empty. Waits for the end of the stream.
    var text: String {
        group.wait()
        let all = bytes.withLock { String(decoding: $0, as: UTF8.self) }
        let lines = all.split(whereSeparator: \.isNewline).suffix(3)
        return lines.isEmpty ? "" : ": " + lines.joined(separator: " ")
    }
}
