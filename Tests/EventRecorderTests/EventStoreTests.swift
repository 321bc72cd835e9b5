import Foundation
import Testing

@testable import EventRecorder

@Suite("Where events lie", .timeLimit(.minutes(1)))
struct EventStoreTests {
    private let store = EventStore()
    private let scale = TickScale(from: TickScale.Moment(), to: TickScale.Moment())

    private func open(_ capacity: Int, at time: UInt64 = 1000) {
        store.open(capacity: capacity, from: StoredEvent.Origin(time: time, nextNumber: 100))
    }

    /// Numbers that fit into one slot.
    private func small(_ value: Int, at time: UInt64 = 1000) -> Event {
        Event(time: time, value: Int64(value % 1000), kind: .note)
    }

    /// One that takes three.
    private func large(_ value: Int) -> Event {
        Event(time: 1000, value: Int64(value + 1) << 32, kind: .note)
    }

    private func close() -> (events: [Event], dropped: Int) {
        let (events, _, dropped) = closeWithExchanges()
        return (events, dropped)
    }

    private func closeWithExchanges() -> (
        events: [Event], exchanges: [StoredExchange], dropped: Int
    ) {
        var events: [Event] = []
        var exchanges: [StoredExchange] = []
        let dropped = store.close(scale) { stored in
            switch stored {
            case .event(let event):
                events.append(event)
            case .two(let first, let second):
                events += [first, second]
            case .exchange(let exchange):
                exchanges.append(exchange)
                events.append(exchange.end)
            }
        }
        return (events, exchanges, dropped)
    }

    /// An exchange, of four or six slots beside its end, which takes one or three.
    private func exchange(_ value: Int) -> StoredExchange {
        var numbers = ExchangeNumbers()
        numbers.receivedBytes = Int64(value)
        numbers.texts = UInt32(value)
        let end = Event(
            time: 1000, value: value % 3 == 0 ? Int64(value + 1) << 32 : Int64(value % 1000),
            thread: 7, kind: .transfer, phase: .end)
        return StoredExchange(
            end, numbers,
            value % 2 == 0
                ? ConnectingTimes(lookUp: Int64(value), connected: 2, secured: 3) : nil)
    }

    @Test("Gives back what it took, in order, over several runs and segments")
    func order() {
        open(210_000)
        let log = store.makeLog(for: 7)
        for value in 0..<200_000 { _ = log.append(small(value)) }

        let (events, dropped) = close()

        #expect(events.map(\.value) == (0..<200_000).map { Int64($0 % 1000) })
        #expect(Set(events.map(\.thread)) == [7])
        #expect(dropped == 0)
    }

    @Test("Small and large events come back in order, wherever a run ends", arguments: 0..<4)
    func mixture(shift: Int) {
        open(1 << 20)
        let log = store.makeLog(for: 7)
        let events = (0..<10_000).map { ($0 + shift) % 5 == 0 ? large($0) : small($0) }
        for event in events { _ = log.append(event) }

        let content = close()

        #expect(content.events.map(\.value) == events.map(\.value))
        #expect(content.dropped == 0)
    }

    @Test("Keeps the first events when it is full, and counts the others", arguments: [1, 7, 5000])
    func full(capacity: Int) {
        open(capacity)
        let log = store.makeLog(for: 7)
        for value in 0..<capacity + 5 { _ = log.append(small(value)) }

        let (events, dropped) = close()

        #expect(events.map(\.value) == (0..<capacity).map { Int64($0 % 1000) })
        #expect(dropped == 5)
    }

    @Test("A large event takes the room of one", arguments: [3, 2047, 5000])
    func fullOfLarge(capacity: Int) {
        open(capacity)
        let log = store.makeLog(for: 7)
        for value in 0..<capacity + 5 {
            _ = log.append(value % 3 == 0 ? small(value) : large(value))
        }

        let (events, dropped) = close()

        #expect(events.count == capacity)
        #expect(dropped == 5)
    }

    @Test("Exchanges come back whole among other events, wherever a run ends", arguments: 0..<7)
    func exchanges(shift: Int) {
        open(1 << 20)
        let log = store.makeLog(for: 7)
        var ends: [Event] = []
        for value in 0..<5000 {
            let exchange = exchange(value)
            log.append(exchange, in: store.recording)
            ends.append(exchange.end)
            for _ in 0..<(value + shift) % 4 {
                _ = log.append(small(value))
                ends.append(small(value))
            }
        }

        let content = closeWithExchanges()

        #expect(content.events.map(\.value) == ends.map(\.value))
        #expect(content.events.map(\.kind) == ends.map(\.kind))
        #expect(content.exchanges.map(\.numbers.texts) == (0..<5000).map { UInt32($0) })
        #expect(content.exchanges.map(\.numbers.receivedBytes) == (0..<5000).map { Int64($0) })
        #expect(
            content.exchanges.map(\.connecting)
                == (0..<5000).map { exchange(Int($0)).connecting })
        #expect(content.dropped == 0)
    }

    @Test("An exchange without room is counted, and nothing is kept", arguments: [1, 7, 5000])
    func exchangesWhenFull(capacity: Int) {
        open(capacity)
        let log = store.makeLog(for: 7)
        for value in 0..<capacity { _ = log.append(small(value)) }
        for value in 0..<5 { log.append(exchange(value), in: store.recording) }

        let content = closeWithExchanges()

        #expect(content.events.count == capacity)
        #expect(content.exchanges.isEmpty)
        #expect(content.dropped == 5)
    }

    @Test("An exchange whose texts are another recording's is in none")
    func exchangeOfAnother() {
        open(1 << 20)
        let log = store.makeLog(for: 7)
        let first = store.recording
        log.append(exchange(1), in: first)
        _ = closeWithExchanges()
        open(1 << 20)
        for value in 2..<8 { log.append(exchange(value), in: first) }
        log.append(exchange(13), in: store.recording)
        for value in 9..<12 { log.append(exchange(value), in: first) }

        #expect(closeWithExchanges().exchanges.map(\.numbers.texts) == [13])
    }

    @Test("Takes nothing before it is opened and after it is closed")
    func closed() {
        let log = store.makeLog(for: 7)
        _ = log.append(small(1))
        open(10)
        _ = log.append(small(2))
        #expect(close().events.map(\.value) == [2])
        open(10)
        _ = log.append(small(4))

        #expect(close().events.map(\.value) == [4])
    }

    @Test("What a thread wrote after the close is in no recording")
    func late() {
        open(10)
        let log = store.makeLog(for: 7)
        _ = log.append(small(1))
        #expect(close().events.map(\.value) == [1])

        _ = log.append(small(2))
        open(10)
        let other = store.makeLog(for: 8)
        _ = other.append(small(3))

        #expect(close().events.map(\.value) == [3])
    }

    @Test("Threads share the room, and none loses what it has written")
    func sharing() {
        open(2048)
        let logs = (0..<4).map { store.makeLog(for: UInt32($0)) }
        for value in 0..<1000 {
            for log in logs { _ = log.append(small(value)) }
        }

        let (events, dropped) = close()

        #expect(events.count + dropped == 4000)
        #expect(events.count <= 2048)
        #expect(events.count > 2048 - 4 * 2)
        for thread in 0..<4 {
            let values = events.filter { $0.thread == thread }.map(\.value)
            #expect(values == (0..<Int64(values.count)).map(\.self))
        }
    }

    @Test("An end belongs to its beginning in the same recording, and to no other")
    func ends() {
        open(10)
        let log = store.makeLog(for: 7)
        let slot = log.append(Event(time: 1005, kind: .callback, phase: .begin))
        #expect(log.endsAtOnce(slot, from: 1005, to: 1008))
        #expect(close().events.map(\.time) == [1005, 1008])

        open(10, at: 2000)
        #expect(!log.endsAtOnce(slot, from: 1005, to: 2004))
        let again = log.append(Event(time: 2006, kind: .callback, phase: .begin))
        #expect(again == slot)
        #expect(!log.endsAtOnce(slot, from: 1005, to: 2010))
        #expect(!log.endsAtOnce(nil, from: 2006, to: 2010))
        #expect(close().events.map(\.phase) == [.begin])
    }

    @Test("The end of a span that is long, or whose numbers are large, stands behind it")
    func longSpans() {
        open(10)
        let log = store.makeLog(for: 7)
        let long = 1010 + StoredEvent.longest + 1
        let spans: [(value: Int64, begin: UInt64, end: UInt64)] = [
            (1, 1000, 1003), (2, 1010, long), (1 << 40, 1020, 1021),
        ]
        for span in spans {
            let begin = Event(
                time: span.begin, subject: 110, value: span.value, kind: .lockHold, phase: .begin)
            log.close(log.append(begin), from: span.begin, to: span.end)
        }
        #expect(log.runs.count == 1)

        let (events, dropped) = close()

        #expect(events.map(\.phase) == [.begin, .end, .begin, .end, .begin, .end])
        #expect(events.map(\.value) == [1, 1, 2, 2, 1 << 40, 1 << 40])
        #expect(events.map(\.time) == [1000, 1003, 1010, long, 1020, 1021])
        #expect(events.allSatisfy { $0.subject == 110 && $0.kind == .lockHold })
        #expect(dropped == 0)
    }

    @Test("The end of a span is dropped with its beginning, or where it has no room")
    func endsWithoutRoom() {
        open(2)
        let log = store.makeLog(for: 7)
        let begin = Event(time: 1000, value: 1, kind: .lockHold, phase: .begin)
        let spans = (0..<3).map { _ in log.append(begin) }
        log.close(spans[2], from: 1000, to: 1001)
        log.close(spans[1], from: 1000, to: 1001 + StoredEvent.longest)
        log.close(spans[0], from: 1000, to: 1002)

        let (events, dropped) = close()

        #expect(events.map(\.phase) == [.begin, .end, .begin])
        #expect(events.map(\.time) == [1000, 1002, 1000])
        #expect(dropped == 3)
    }

    @Test("A span of an earlier recording has no end in a later one, long or short")
    func endsOfAnother() {
        open(10)
        let log = store.makeLog(for: 7)
        let slots = [1, 1 << 40].map {
            log.append(Event(time: 1005, value: $0, kind: .lockHold, phase: .begin))
        }
        _ = close()
        for slot in slots { log.close(slot, from: 1005, to: 1010) }
        open(10, at: 2000)
        _ = log.append(small(1, at: 2001))
        for slot in slots + [nil] {
            log.close(slot, from: 1005, to: 2010)
            log.close(slot, from: 1005, to: 2010 + StoredEvent.longest)
        }

        let (events, dropped) = close()

        #expect(events.map(\.kind) == [.note])
        #expect(dropped == 0)
    }

    @Test("The memory of a thread that has ended is another's, once nothing is recorded")
    func endedThread() {
        open(10)
        let log = store.makeLog(for: 7)
        _ = log.append(small(1))
        let run = log.runs.first?.start
        store.threadEnds(log)
        let other = store.makeLog(for: 8)
        _ = other.append(small(2))
        #expect(other.runs.first?.start != run)
        #expect(close().events.map(\.value) == [1, 2])

        open(10)
        let third = store.makeLog(for: 9)
        _ = third.append(small(3))

        #expect(third.runs.first?.start == run)
        #expect(close().events.map(\.value) == [3])
    }
}

/// What its thread does at its cursor.
extension EventLog {
    fileprivate func append(_ event: Event) -> Slot? {
        let shape = StoredEvent.Shape(event.kind, event.phase)
        let recording = store.recording
        return cursor.pointee.keep(
            shape, event.subject, event.value, event.text, at: event.time, of: recording)
            ?? cursor.pointee.append(
                shape, event.subject, event.value, event.text, at: event.time, of: recording)
    }

    fileprivate func append(_ exchange: StoredExchange, in recording: UInt32) {
        if exchange.connecting == nil, recording == store.recording,
            cursor.pointee.keep(
                exchange.numbers, exchange.end.subject, exchange.end.value, exchange.end.text,
                at: exchange.end.time, of: recording)
        {
            return
        }
        append(exchange, of: recording)
    }

    fileprivate func endsAtOnce(_ slot: Slot?, from begin: UInt64, to end: UInt64) -> Bool {
        cursor.pointee.end(slot, from: begin, to: end, of: store.recording)
    }

    fileprivate func close(_ slot: Slot?, from begin: UInt64, to end: UInt64) {
        if !endsAtOnce(slot, from: begin, to: end) { self.end(slot, from: begin, to: end) }
    }
}
