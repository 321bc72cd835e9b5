import CEvents
import Locking

/// Blocks that are called with each event when it is recorded, on the thread of the event. They may block that thread.
///
/// While nothing is recorded, they cost nothing. While there are none, each event costs one atomic read.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: the thread of the event, not under the lock.
enum EventListeners {
    typealias Listener = @Sendable (Event) -> Void

    private static let list = Locked<[(number: UInt64, call: Listener)]>([])

    static func add(_ listener: @escaping Listener) -> UInt64 {
        let number = EventRecorder.nextNumber()
        list.withLock { list in
            list.append((number, listener))
            cevents_set_listeners(UInt32(list.count))
        }
        return number
    }

    static func remove(_ number: UInt64) {
        let old = list.withLock { list in
            defer {
                list.removeAll { $0.number == number }
                cevents_set_listeners(UInt32(list.count))
            }
            return list
        }
        // The removed block is released without the lock, because a deinit of what it captured may call this.
        withExtendedLifetime(old) {}
    }

    @inline(never)
    static func notify(of event: Event, on thread: UInt32) {
        var event = event
        event.thread = thread
        for listener in list.withLock({ $0 }) { listener.call(event) }
    }
}
