import Foundation
import Synchronization

// Each thread holds its log, which goes with it.

extension EventLog {
    /// This thread's log; its first event makes it.
    ///
    /// Unmanaged, for to count the reference would cost more than the event. The store holds it.
    static var current: Unmanaged<EventLog> {
        @inline(__always) get {
            let key = madeKey.load(ordering: .acquiring)
            if key > 0, let log = pthread_getspecific(pthread_key_t(key - 1)) {
                return Unmanaged.fromOpaque(log)
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
            let log = Unmanaged<EventLog>.fromOpaque(held).takeUnretainedValue()
            ThreadNames.shared.remember(log.thread)
            EventStore.shared.threadEnds(log)
        }
        return key
    }()

    @inline(never)
    private static func made() -> Unmanaged<EventLog> {
        let log = EventStore.shared.makeLog(for: ThreadNames.shared.register())
        let unmanaged = Unmanaged.passUnretained(log)
        pthread_setspecific(key, unmanaged.toOpaque())
        madeKey.store(UInt(key) + 1, ordering: .releasing)
        return unmanaged
    }
}
