import TestSupport

@testable import OperationNetworking

/// A disk between a durable queue and the system's: it can be full, refuse to sync, stop a sync, and knows what a
/// power cut would leave.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around what is noted. Calls out on: nothing.
final class TestDisk: Sendable {
    private struct State {
        /// Bytes that can still be written; nil is any number.
        var room: Int?
        var refusesSyncs = false
        var stop: LifeHold?
        /// What each file was when it was last synced, by its path.
        var images: [String: Data] = [:]
        /// What was synced, in order.
        var synced: [String] = []
    }

    private let state = Locked(State())
    /// Syncs that were refused.
    let refusals = Signal()

    /// Bytes that can still be written; nil is any number.
    var room: Int? {
        get { state.withLock { $0.room } }
        set { state.withLock { $0.room = newValue } }
    }

    var refusesSyncs: Bool {
        get { state.withLock { $0.refusesSyncs } }
        set { state.withLock { $0.refusesSyncs = newValue } }
    }

    /// What was synced so far, in order.
    var synced: [String] { state.withLock { $0.synced } }

    /// What a power cut would leave of a file.
    func image(_ file: URL) -> Data? { state.withLock { $0.images[file.path] } }

    /// Has the next sync stop before it is carried out.
    func stopNextSync() -> LifeHold {
        let stop = LifeHold()
        state.withLock { $0.stop = stop }
        return stop
    }

    var calls: DiskCalls {
        DiskCalls(
            pwrite: { [self] descriptor, bytes, offset in
                let count = state.withLock { state in
                    let count = min(bytes.count, state.room ?? .max)
                    state.room = state.room.map { $0 - count }
                    return count
                }
                guard count > 0 else {
                    errno = ENOSPC
                    return -1
                }
                return pwrite(descriptor, bytes.baseAddress, count, offset)
            },
            fsync: { [self] descriptor in sync(descriptor) })
    }

    private func sync(_ descriptor: Int32) -> Int32 {
        let stop = state.withLock { state in
            defer { state.stop = nil }
            return state.stop
        }
        stop?.stop()
        guard !refusesSyncs else {
            refusals.fire()
            errno = EIO
            return -1
        }
        let link = "/proc/self/fd/\(descriptor)"
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? link
        let result = fsync(descriptor)
        guard result == 0 else { return result }
        // Nil for a folder.
        let image = FileManager.default.contents(atPath: path)
        state.withLock { state in
            state.images[path] = image
            state.synced.append(path)
        }
        return 0
    }
}
