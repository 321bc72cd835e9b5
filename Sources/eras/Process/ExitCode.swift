import Foundation

/// How the process ends; documented in the help.
enum ExitCode: Int32, Sendable {
    case success = 0
    case failed = 1
    case usage = 2
    case interrupted = 130

    /// Ends the process; no success when something is missing from standard output.
    func leave() -> Never {
        exit(self == .success && Console.hasLostOutput ? Self.failed.rawValue : rawValue)
    }
}
