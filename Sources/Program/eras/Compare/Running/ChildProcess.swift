import Foundation

/// The parent's side of a child process, which runs this program, or another one.
struct ChildProcess {
    /// How it ended.
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
        let watchdog = Watchdog(process.processIdentifier, limit: limit)
        let complaints = Complaints(errors.fileHandleForReading)
        let answer = hear(output.fileHandleForReading, input.fileHandleForWriting)
        let isOverdue = watchdog.end()
        // The child has not been reaped, so its process identifier is not reused.
        if stays, answer != nil, !isOverdue { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        // The child ends when its input is closed.
        withExtendedLifetime(input) {}
        let said = complaints.text
        if isOverdue { return .failed("it was not over after \(Int(limit)) s\(said)") }
        return .ended(answer, process, said: said)
    }
}
