import CEvents
import Foundation
import Synchronization

/// Starts and stops the recorder.
///
/// ## Concurrency
/// Call from: any thread. Lock: `turn`, then `lock`. Calls out: never.
final class RecorderControl: @unchecked Sendable {
    // @unchecked because `session` is used under `lock` alone.
    static let shared = RecorderControl()

    private struct Session {
        let capacity: Int
        let start: TickScale.Moment
        var exchanges = ExchangeLog()
        var droppedExchanges = 0

        mutating func add(
            _ kind: ExchangeKind, _ numbers: UnsafeRawBufferPointer,
            _ texts: UnsafeRawBufferPointer, number: UInt64
        ) {
            if exchanges.count < capacity {
                exchanges.append(kind, numbers, texts, number: number)
            } else {
                droppedExchanges += 1
            }
        }
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
            let start = TickScale.Moment()
            lock.withLock {
                session = Session(capacity: capacity, start: start)
            }
            EventStore.shared.open(
                capacity: capacity,
                from: StoredEvent.Origin(
                    time: start.ticks, nextNumber: EventRecorder.nextNumber()))
            EventRecorder.opened.store(EventStore.shared.generation, ordering: .relaxed)
            cevents_set_recording(true)
        }
    }

    func stop() -> Recording {
        turn.withLock {
            guard let session = lock.withLock({ session.take() }) else { return Recording() }
            cevents_set_recording(false)
            let scale = TickScale(from: session.start, to: TickScale.Moment())
            let (events, dropped) = events(of: session, scale)
            return Recording(
                events: events,
                threads: ThreadNames.shared.names(of: Set(events.lazy.map(\.thread))),
                exchanges: session.exchanges.records(scale),
                dropped: dropped + session.droppedExchanges,
                startTime: session.start.nanoseconds, startDate: session.start.date,
                process: ProcessInfo.processInfo.processName,
                processNumber: UInt32(getpid()))
        }
    }

    /// The events since the start, in their order, which ticks tell and nanoseconds may not.
    private func events(
        of session: Session, _ scale: TickScale
    ) -> ([Event], dropped: Int) {
        var events: [Event] = []
        let dropped = EventStore.shared.close(scale) { first, end in
            if first.time < session.start.ticks { return }
            events.append(first)
            if let end { events.append(end) }
        }
        events.sort { $0.time < $1.time }
        for index in events.indices { events[index].time = scale.nanoseconds(events[index].time) }
        return (events, dropped)
    }

    /// The record is made at the end, so that whoever loads does not wait.
    func add(
        _ kind: ExchangeKind, _ numbers: UnsafeRawBufferPointer, _ texts: UnsafeRawBufferPointer,
        number: UInt64
    ) {
        lock.withLock {
            session?.add(kind, numbers, texts, number: number)
        }
    }
}
