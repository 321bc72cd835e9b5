import Foundation

/// The exit codes of the process; the help documents them. Those of failures are curl's, one for several of
/// its kind; that of a wrong hash is aria2's.
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

    /// The same where a signal ended what was done.
    ///
    /// - Parameter signal: its number, which the code says as a shell does; 0: none but Ctrl-C.
    func leave(after signal: Int32) -> Never {
        if self == .interrupted, signal != 0 { exit(128 + signal) }
        leave()
    }

    /// Ends the process; with 1 in place of 0 when standard output is incomplete.
    func leave() -> Never {
        exit(self == .success && Console.hasLostOutput ? Self.failed.rawValue : rawValue)
    }
}
