import Foundation

/// A child process, seen from its parent: this program, where no other is named.
struct ChildProcess {
    /// How it ended.
    enum Ending<Answer> {
        /// By itself, or after its answer. What it said on standard error is ": " and the last lines, or nothing.
        case ended(Answer?, Process, said: String)
        /// One sentence, without its end.
        case failed(String)
    }

    static let ownExecutable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    let executable: URL
    let arguments: [String]
    /// Seconds after which it is killed.
    let limit: Double
    /// Whether it stays after its answer, until it is killed.
    var stays = false

    /// A child's environment: URLSession would send even what is meant for loopback to a proxy, and
    /// a crash would wait for the backtrace program.
    static func environment(from own: [String: String]) -> [String: String] {
        own.filter { !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    }

    /// Starts it, hears what it says and waits for its end.
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
        // It stays until now, so the number is its own.
        if stays, answer != nil, !isOverdue { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        // A child whose input ends, ends.
        withExtendedLifetime(input) {}
        let said = complaints.text
        if isOverdue { return .failed("it was not over after \(Int(limit)) s\(said)") }
        return .ended(answer, process, said: said)
    }
}
