import COpenSSL
import Locking

/// Calls OpenSSL until the process exits.
///
/// ## Concurrency
/// Call from: any thread. Lock: none. Calls out on: the caller's thread.
enum OpenSSLGate {
    /// Sets OpenSSL to keep its tables at exit. That is too late where other code called it before:
    /// then its exit handler is already registered, and runs after the gate's.
    private static let isPrepared: Void = {
        copenssl_stay_through_exit()
        ExitGate.closeAtExit()
    }()

    /// Calls the block unless the process is exiting.
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
