import COpenSSL
import Locking

/// The way into OpenSSL, open until the process exits.
///
/// ## Concurrency
/// Call from: any thread. Lock: none. Calls out on: the caller's thread.
enum OpenSSLGate {
    /// OpenSSL is told to keep its tables at exit, which comes too late where other code called it before. Then
    /// its own exit handler is registered already, and runs after the gate's.
    private static let isPrepared: Void = {
        copenssl_stay_through_exit()
        ExitGate.closeAtExit()
    }()

    /// Runs a call.
    ///
    /// - Returns: nil where the process is exiting.
    @discardableResult
    static func whileOpen<Result>(_ body: () throws -> Result) rethrows -> Result? {
        try ExitGate.whileOpen {
            _ = isPrepared
            return try body()
        }
    }
}
