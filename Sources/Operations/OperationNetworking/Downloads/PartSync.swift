import CurlConnection
import Foundation
import Locking
import Scheduling

/// An `fsync` of a part and its record, on another thread, while the download continues.
///
/// ## Concurrency
/// Call from: the download's queue. Lock: one around the result. Calls out: none.
final class PartSync: Sendable {
    /// The record at the beginning, whose bytes are on the disk after it.
    let record: DownloadRecord
    /// The number of bytes at the beginning, of all segments.
    let stored: Int64
    private struct State {
        var result: Int32?
        var isRecordSynced = false
        /// Called with an error once the download has ended.
        var lost: (@Sendable (Int32) -> Void)?
    }

    private let state = Locked(State())

    /// 0, or the `errno` of the failure; nil while it is under way.
    var result: Int32? { state.withLock { $0.result } }

    /// Whether the record was written to the disk too.
    var isRecordSynced: Bool { state.withLock { $0.isRecordSynced } }

    /// - Parameter path: of the part, for a system without `/proc`.
    /// - Returns: nil if the system has no more descriptors; the next record tries again.
    init?(
        _ record: DownloadRecord, _ stored: Int64, of part: Int32, _ recordFile: Int32,
        path: String = "", by calls: DiskCalls = DiskCalls(), on pool: WorkerPool = .files
    ) {
        (self.record, self.stored) = (record, stored)
        // The download may close its own descriptor meanwhile.
        let part = Self.opened(part, path)
        guard part >= 0 else { return nil }
        let recordFile = fcntl(recordFile, F_DUPFD_CLOEXEC, 0)
        let queue = WorkerQueue(pool)
        queue.perform { [state] in
            let result = calls.fsync(part) == 0 ? 0 : errno
            let isRecordSynced = recordFile >= 0 && fsync(recordFile) == 0
            if recordFile >= 0 { close(recordFile) }
            let lost = state.withLock { state in
                (state.result, state.isRecordSynced) = (result, isRecordSynced)
                return state.lost
            }
            if result != 0 { lost?(part) }
            _ = calls.close(part)
        }
        // A disk that does not respond must not take a thread from other downloads.
        queue.leave()
    }

    /// Called when the download ends.
    ///
    /// - Parameters:
    ///   - end: called at once with the result, or with nil if there is none. The result does not change meanwhile.
    ///   - lost: called with a descriptor of the part if an error follows later.
    func leave(_ end: (Int32?) -> Void, lost: @escaping @Sendable (Int32) -> Void) {
        state.withLock { state in
            end(state.result)
            state.lost = lost
        }
    }

    /// Opens the part again. Linux reports a disk error once for each `open`. With a copy of the descriptor, this
    /// `fsync` would take the error from the one before the part is renamed.
    private static func opened(_ part: Int32, _ path: String) -> Int32 {
        let own = open("/proc/self/fd/\(part)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        return own >= 0 ? own : LockedFile.openAgain(part, path)
    }
}

/// The calls of the disk that tests replace by ones that fail, wait or signal.
struct DiskCalls: Sendable {
    var fsync: @Sendable (Int32) -> Int32 = { Foundation.fsync($0) }
    /// Closes the descriptor of an `fsync` whose result was stored.
    var close: @Sendable (Int32) -> Int32 = { Foundation.close($0) }
}
