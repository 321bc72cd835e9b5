import Foundation
import FoundationNetworking
import Locking

/// The transfers of a session, by the numbers of Foundation's tasks (UM-08).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table. Calls out on: nobody.
struct RawTaskTable: Sendable {
    private let running = Locked<[Int: FoundationTransfer]>([:])

    /// Connects Foundation's task with its transfer, until `end`.
    func begin(_ transfer: FoundationTransfer) {
        running.withLock { $0[transfer.raw.taskIdentifier] = transfer }
    }

    /// The transfer of Foundation's task.
    func transfer(of raw: URLSessionTask) -> FoundationTransfer? {
        running.withLock { $0[raw.taskIdentifier] }
    }

    /// Foundation has made its last delegate call for its task.
    @discardableResult
    func end(_ raw: URLSessionTask) -> FoundationTransfer? {
        running.withLock { $0.removeValue(forKey: raw.taskIdentifier) }
    }
}
