import Foundation

/// The exit codes of the process, which the help documents. Those of failures are curl's, and that of a
/// wrong hash is aria2's.
enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    case failed = 1
    case usage = 2
    case lookUp = 6
    case connection = 7
    case status = 22
    case disk = 23
    case timeout = 28
    case hash = 32
    case tls = 35
    case interrupted = 130

    /// Ends the process after a signal, with 128 and the signal's number as a shell does.
    ///
    /// - Parameter signal: the number; 0 for none, or for Ctrl-C.
    func leave(after signal: Int32) -> Never {
        if self == .interrupted, signal != 0 { exit(128 + signal) }
        leave()
    }

    /// Ends the process, with 1 instead of 0 where standard output is incomplete.
    func leave() -> Never {
        exit(self == .success && Console.hasLostOutput ? Self.failed.rawValue : rawValue)
    }
}
