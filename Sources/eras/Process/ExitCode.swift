import Foundation

/// The exit codes of the process; the help documents them.
enum ExitCode: Int32, Sendable {
    case success = 0
    case failed = 1
    case usage = 2
    case interrupted = 130

    /// Ends the process; with 1 in place of 0 when standard output is incomplete.
    func leave() -> Never {
        exit(self == .success && Console.hasLostOutput ? Self.failed.rawValue : rawValue)
    }
}
