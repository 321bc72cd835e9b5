import CurlConnection
import Foundation
import Locking
import Scheduling

/// Writes a part and its record through to the disk on another thread, while the download goes on.
///
/// ## Concurrency
/// Call from: the download's queue. Lock: one around the result. Calls out: none.
final class PartSync: Sendable {
    /// What the record said at the beginning; once the part is written through, the disk has those bytes.
    let record: DownloadRecord
    /// How many bytes that were, of all segments.
    let stored: Int64
    private struct State {
        var result: Int32?
        /// Who hears of an error once the download has left.
        var lost: (@Sendable (Int32) -> Void)?
    }

    private let state = Locked(State())

    /// 0, or the system's number of an error; nil while it is under way.
    var result: Int32? { state.withLock { $0.result } }

    /// - Parameter path: that of the part, for a system that cannot open it by its descriptor.
    /// - Returns: nil where no descriptor is to be had; then the next record tries again.
    init?(
        _ record: DownloadRecord, _ stored: Int64, of part: Int32, _ recordFile: Int32,
        path: String = "", by calls: DiskCalls = DiskCalls(), on pool: WorkerPool = .files
    ) {
        (self.record, self.stored) = (record, stored)
        // The download may close its own meanwhile.
        let part = Self.opened(part, path)
        guard part >= 0 else { return nil }
        let recordFile = fcntl(recordFile, F_DUPFD_CLOEXEC, 0)
        let queue = WorkerQueue(pool)
        queue.perform { [state] in
            let result = calls.fsync(part) == 0 ? 0 : errno
            if recordFile >= 0 {
                _ = fsync(recordFile)
                close(recordFile)
            }
            let lost = state.withLock { state in
                state.result = result
                return state.lost
            }
            if result != 0 { lost?(part) }
            close(part)
        }
        // The download goes on: a disk that does not answer takes no thread from others.
        queue.leave()
    }

    /// The download ends, and asks no more.
    ///
    /// - Parameters:
    ///   - end: called at once with the result, nil while there is none; none comes before it returns.
    ///   - lost: called with a descriptor of the part where an error comes later.
    func leave(_ end: (Int32?) -> Void, lost: @escaping @Sendable (Int32) -> Void) {
        state.withLock { state in
            end(state.result)
            state.lost = lost
        }
    }

    /// Opens the part once more. Linux reports an error of the disk once for each opening, and so here as well as to
    /// the `fsync` before the part gets its name; a copy of the descriptor would take the report from that one.
    private static func opened(_ part: Int32, _ path: String) -> Int32 {
        let own = open("/proc/self/fd/\(part)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        return own >= 0 ? own : LockedFile.openAgain(part, path)
    }
}
