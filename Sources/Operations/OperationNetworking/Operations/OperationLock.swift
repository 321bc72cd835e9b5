import EventRecorder
import Foundation
import Locking

/// An operation's recursive lock, the original's "com.alamofire.networking.operation.lock"; a
/// recording sees which thread waits for it, which one holds it, and how deep.
///
/// A recursive pthread mutex, as an `NSRecursiveLock` is, but with one allocation instead of four: thousands of
/// operations may wait.
///
/// ## Concurrency
/// Call from: any thread, also from inside. Lock: itself. Calls out on: the caller's thread, held.
struct OperationLock: @unchecked Sendable {
    // @unchecked because the memory's depth is changed by the holder alone.
    private final class Memory: ManagedBuffer<Int64, pthread_mutex_t> {
        deinit {
            _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
        }
    }

    /// The operation's number in a recording.
    let number = EventRecorder.nextNumber()
    /// The mutex, and how often the holder has taken it, as far as the recording saw.
    private let memory: ManagedBuffer<Int64, pthread_mutex_t>

    init() {
        memory = Memory.create(minimumCapacity: 1) { memory in
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
            defer { pthread_mutexattr_destroy(&attributes) }
            _ = memory.withUnsafeMutablePointerToElements {
                pthread_mutex_init($0, &attributes)
            }
            return 0
        }
    }

    /// Inlined, so that the compiler resolves key paths that are used inside: at run time each request took 2 % longer.
    @inline(__always)
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        let hold = take()
        defer { giveBack(hold) }
        return try body()
    }

    @inline(__always)
    private func take() -> OpenSpan? {
        memory.withUnsafeMutablePointers { depth, lock in
            #if DEBUG
                HeldLocks.take(lock, #fileID)
            #endif
            if EventRecorder.isRecording { return Self.take(depth, lock, number) }
            pthread_mutex_lock(lock)
            return nil
        }
    }

    @inline(__always)
    private func giveBack(_ hold: OpenSpan?) {
        memory.withUnsafeMutablePointers { depth, lock in
            #if DEBUG
                HeldLocks.giveBack(lock)
            #endif
            if let hold { return Self.giveBack(depth, lock, hold) }
            pthread_mutex_unlock(lock)
        }
    }

    @inline(never)
    private static func take(
        _ depth: UnsafeMutablePointer<Int64>, _ lock: UnsafeMutablePointer<pthread_mutex_t>,
        _ number: UInt64
    ) -> OpenSpan {
        if pthread_mutex_trylock(lock) != 0 { wait(for: lock, number) }
        depth.pointee &+= 1
        return EventRecorder.open(.lockHold, subject: number, value: depth.pointee)
    }

    @inline(never)
    private static func wait(
        for lock: UnsafeMutablePointer<pthread_mutex_t>, _ number: UInt64
    ) {
        EventRecorder.span(.lockWait, subject: number) { _ = pthread_mutex_lock(lock) }
    }

    @inline(never)
    private static func giveBack(
        _ depth: UnsafeMutablePointer<Int64>, _ lock: UnsafeMutablePointer<pthread_mutex_t>,
        _ hold: OpenSpan
    ) {
        depth.pointee &-= 1
        EventRecorder.close(hold)
        pthread_mutex_unlock(lock)
    }
}
