import CEvents
import Foundation

// Each thread holds its log, which goes with it.

extension EventLog {
    /// The cursor of this thread's log, which its first event makes.
    static var current: UnsafeMutablePointer<EventCursor> {
        @inline(__always) get { existing ?? made() }
    }

    static var existing: UnsafeMutablePointer<EventCursor>? {
        @inline(__always) get { cevents_get()?.assumingMemoryBound(to: EventCursor.self) }
    }

    /// Its value is the cursor too, for the thread's end.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            // An optional on one system, none on the other.
            let held: UnsafeMutableRawPointer? = pointer
            guard let held else { return }
            let log = held.assumingMemoryBound(to: EventCursor.self).pointee.owner
            cevents_set(nil)
            ThreadNames.shared.remember(log.thread)
            if !EventStore.shared.threadEnds(log) { ThreadNames.shared.forget(log.thread) }
        }
        return key
    }()

    @inline(never)
    private static func made() -> UnsafeMutablePointer<EventCursor> {
        let log = EventStore.shared.makeLog(for: ThreadNames.shared.register())
        pthread_setspecific(key, log.cursor)
        cevents_set(log.cursor)
        return log.cursor
    }
}
