import Foundation
import Synchronization

/// Starts and stops the recorder.
///
/// ## Concurrency
/// Call from: any thread. Lock: `turn`, then `lock`. Calls out: never.
final class RecorderControl: @unchecked Sendable {
    // @unchecked because `session` is used under `lock` alone.
    static let shared = RecorderControl()

    /// The store of the last recording. It is never freed, for a late writer may still hold it; it
    /// is closed then, and takes nothing.
    // Unsafe by name only, because the pointer is atomic and what it leads to is made for all.
    nonisolated(unsafe) static let store = Atomic<UnsafeMutablePointer<EventStore>?>(nil)

    /// How long `stop` waits for writers that were stopped in the middle of an event.
    private static let patience: UInt64 = 200_000_000

    private struct Session {
        let capacity: Int
        let start: TickScale.Moment
        let date: Date
        var exchanges = ExchangeLog()
        var droppedExchanges = 0
    }

    /// Held during the whole of a start or stop, so that nobody opens a store that is being read.
    private let turn = NSLock()
    private let lock = NSLock()

    // MARK: Guarded by lock
    private var session: Session?

    func start(capacity: Int) throws {
        try turn.withLock {
            guard !lock.withLock({ session != nil }) else {
                throw EventRecorderError.alreadyRecording
            }
            let capacity = min(max(1, capacity), EventStore.limit)
            ThreadNames.shared.forgetTheDead()
            let store = Self.store.load(ordering: .acquiring) ?? Self.makeStore()
            store.pointee.open(capacity: capacity)
            EventRecorder.starts.wrappingAdd(1, ordering: .releasing)
            EventRecorder.recording.store(true, ordering: .releasing)
            // Last: a writer that was late for the recording before may have come in already. Its
            // event is older, and is left out.
            lock.withLock {
                session = Session(capacity: capacity, start: TickScale.Moment(), date: Date())
            }
        }
    }

    func stop() -> Recording {
        turn.withLock {
            guard let session = lock.withLock({ session.take() }),
                let store = Self.store.load(ordering: .acquiring)
            else { return Recording() }
            EventRecorder.recording.store(false, ordering: .releasing)
            let content = store.pointee.close(
                capacity: session.capacity, patience: Self.patience)
            if !content.isComplete { Self.store.store(nil, ordering: .releasing) }
            return recording(of: content, session)
        }
    }

    private func recording(of content: EventStore.Content, _ session: Session) -> Recording {
        let events = events(of: content, session)
        return Recording(
            events: events,
            threads: ThreadNames.shared.names(of: Set(events.lazy.map(\.thread))),
            exchanges: session.exchanges.records(),
            dropped: content.dropped + session.droppedExchanges,
            startTime: session.start.nanoseconds, startDate: session.date,
            process: ProcessInfo.processInfo.processName,
            processNumber: UInt32(getpid()))
    }

    /// The events since the start, in their order, which ticks tell and nanoseconds may not.
    private func events(of content: EventStore.Content, _ session: Session) -> [Event] {
        let scale = TickScale(from: session.start, to: TickScale.Moment())
        var events: [Event] = []
        events.reserveCapacity(content.events.count * 2)
        for stored in content.events {
            let (first, end) = stored.unfolded(scale)
            if first.time < session.start.ticks { continue }
            events.append(first)
            if let end { events.append(end) }
        }
        events.sort { $0.time < $1.time }
        for index in events.indices { events[index].time = scale.nanoseconds(events[index].time) }
        return events
    }

    /// - Parameter make: called at the end, so that whoever loads does not wait.
    func add(_ bytes: FlatBytes, _ make: @escaping ExchangeLog.Maker) {
        lock.withLock {
            guard let count = session?.exchanges.count, let capacity = session?.capacity else {
                return
            }
            if count < capacity {
                session?.exchanges.append(bytes, make)
            } else {
                session?.droppedExchanges += 1
            }
        }
    }

    private static func makeStore() -> UnsafeMutablePointer<EventStore> {
        let made = UnsafeMutablePointer<EventStore>.allocate(capacity: 1)
        made.initialize(to: EventStore())
        store.store(made, ordering: .releasing)
        return made
    }
}
