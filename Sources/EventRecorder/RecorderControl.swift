import CEvents
import Foundation
import Synchronization

/// Starts and stops the recorder.
///
/// ## Concurrency
/// Call from: any thread. Lock: `turn`, then `lock`. Calls out: the watchers, under none.
final class RecorderControl: @unchecked Sendable {
    // @unchecked because `session` is used under `lock` alone.
    static let shared = RecorderControl()

    private struct Session {
        let capacity: Int
        let start: TickScale.Moment
        var exchanges: ExchangeLog
        var droppedExchanges = 0
        /// Whom to tell of the end, by their numbers.
        var watchers: [UInt64: @Sendable () -> Void] = [:]

        mutating func add(_ size: Int, _ make: @escaping @Sendable () -> ExchangeRecord) {
            if exchanges.madeCount >= capacity || !exchanges.append(size, make) {
                droppedExchanges += 1
            }
        }

        /// - Returns: 0 where the exchanges before had as many as events may be kept.
        mutating func keep(
            _ texts: UnsafeRawBufferPointer, _ read: @escaping ExchangeLog.Reader
        ) -> UInt32 {
            exchanges.textsCount < capacity ? exchanges.keep(texts, read) : 0
        }
    }

    /// Held during the whole of a start or stop, so that nobody opens a store that is being read.
    private let turn = NSLock()
    private let lock = NSLock()

    // MARK: Guarded by lock
    private var session: Session?

    /// Texts take at least so many bytes, if there are as many.
    private static let leastTextBytes = 1 << 18
    /// For each event that may be kept.
    private static let textBytesAnEvent = 16

    func start(capacity: Int, textBytes: Int?) throws {
        try turn.withLock {
            guard !lock.withLock({ session != nil }) else {
                throw EventRecorderError.alreadyRecording
            }
            let capacity = min(max(1, capacity), EventStore.limit)
            ThreadNames.shared.forgetTheDead()
            Ticks.choose()
            let start = TickScale.Moment()
            let bytes = max(
                0, textBytes ?? max(Self.leastTextBytes, capacity * Self.textBytesAnEvent))
            lock.withLock {
                session = Session(
                    capacity: capacity, start: start, exchanges: ExchangeLog(bytes: bytes))
            }
            let recording = EventStore.shared.open(
                capacity: capacity,
                from: StoredEvent.Origin(
                    time: start.ticks, nextNumber: EventRecorder.nextNumber()))
            TextTable.shared.begin(recording, bytes: bytes)
            cevents_set_recording(recording)
        }
    }

    func stop() -> Recording {
        let (recording, watchers) = turn.withLock { stopInTurn() }
        for watcher in watchers { watcher() }
        return recording
    }

    private func stopInTurn() -> (Recording, [@Sendable () -> Void]) {
        guard let session = lock.withLock({ session.take() }) else { return (Recording(), []) }
        cevents_set_recording(0)
        let texts = TextTable.shared.end()
        let recording = recording(of: session, texts.leftOut, [texts.0])
        return (recording, Array(session.watchers.values))
    }

    private func recording(
        of session: Session, _ leftOut: Int, _ texts: [HeldTexts]
    ) -> Recording {
        let scale = TickScale(from: session.start, to: TickScale.Moment())
        let (events, exchanges, dropped) = events(of: session, scale)
        var recording = Recording(
            events: events,
            threads: ThreadNames.shared.names(of: Set(events.lazy.map(\.thread))),
            exchanges: session.exchanges.records(exchanges, scale),
            dropped: dropped + session.droppedExchanges,
            startTime: session.start.nanoseconds, startDate: session.start.date,
            process: ProcessInfo.processInfo.processName,
            processNumber: UInt32(getpid()))
        recording.textsLeftOut = leftOut + session.exchanges.leftOutCount
        recording.texts.all = texts
        return recording
    }

    /// The events since the start, in their order, which ticks tell and nanoseconds may not.
    private func events(
        of session: Session, _ scale: TickScale
    ) -> ([Event], [StoredExchange], dropped: Int) {
        var events: [Event] = []
        var exchanges: [StoredExchange] = []
        let start = session.start.ticks
        let dropped = EventStore.shared.close(scale) { stored in
            switch stored {
            case .event(let event) where event.time >= start:
                events.append(event)
            case .two(let first, let second) where first.time >= start:
                events.append(first)
                events.append(second)
            case .exchange(let exchange) where exchange.end.time >= start:
                exchanges.append(exchange)
                if let end = exchange.endEvent { events.append(end) }
            case .event, .two, .exchange:
                break
            }
        }
        events.sort { $0.time < $1.time }
        for index in events.indices { events[index].time = scale.nanoseconds(events[index].time) }
        return (events, exchanges, dropped)
    }

    /// The record is made at the end, so that whoever loads does not wait.
    func add(_ size: Int, _ make: @escaping @Sendable () -> ExchangeRecord) {
        lock.withLock { session?.add(size, make) }
    }

    /// Tells of the end of this recording, on the thread that stops it.
    func watch(_ number: UInt64, _ watcher: @escaping @Sendable () -> Void) {
        lock.withLock { session?.watchers[number] = watcher }
    }

    func unwatch(_ number: UInt64) {
        let gone = lock.withLock { session?.watchers.removeValue(forKey: number) }
        withExtendedLifetime(gone) {}
    }

    func keep(
        _ texts: UnsafeRawBufferPointer, _ read: @escaping ExchangeLog.Reader
    ) -> UInt32 {
        lock.withLock { session?.keep(texts, read) ?? 0 }
    }

    func dropExchange() {
        lock.withLock { session?.droppedExchanges += 1 }
    }
}
