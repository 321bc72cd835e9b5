import Foundation
import Synchronization

// Each thread holds its log, which goes with it.

extension EventLog {
    /// The cursor of this thread's log, which its first event makes.
    static var current: UnsafeMutablePointer<EventCursor> {
        @inline(__always) get {
            let key = madeKey.load(ordering: .acquiring)
            if key > 0, let cursor = pthread_getspecific(pthread_key_t(key - 1)) {
                return cursor.assumingMemoryBound(to: EventCursor.self)
            }
            return made()
        }
    }

    /// The key and one more, once it is made: to ask for a `static let` costs as much as its use.
    private static let madeKey = Atomic<UInt>(0)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            // An optional on one system, none on the other.
            let held: UnsafeMutableRawPointer? = pointer
            guard let held else { return }
            let log = held.assumingMemoryBound(to: EventCursor.self).pointee.owner
            ThreadNames.shared.remember(log.thread)
            EventStore.shared.threadEnds(log)
        }
        return key
    }()

    @inline(never)
    private static func made() -> UnsafeMutablePointer<EventCursor> {
        let log = EventStore.shared.makeLog(for: ThreadNames.shared.register())
        pthread_setspecific(key, log.cursor)
        madeKey.store(UInt(key) + 1, ordering: .releasing)
        return log.cursor
    }
}
