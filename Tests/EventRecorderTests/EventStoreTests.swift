import Foundation
import Testing

@testable import EventRecorder

@Suite("Where events lie", .timeLimit(.minutes(1)))
struct EventStoreTests {
    private static let patience: UInt64 = 20_000_000

    private func event(_ value: Int) -> StoredEvent {
        StoredEvent(Event(time: 1, value: Int64(value), kind: .note))
    }

    @Test("Gives back what it took, in order, over several segments")
    func order() {
        let store = EventStore()
        store.open(capacity: 210_000)
        for value in 0..<200_000 { store.append(event(value)) }

        let content = store.close(capacity: 210_000, patience: Self.patience)

        #expect(content.events.map(\.event.value) == (0..<200_000).map(Int64.init))
        #expect(content.dropped == 0)
        #expect(content.isComplete)
    }

    @Test("Keeps the first events when it is full, and counts the others", arguments: [1, 7, 4096])
    func full(capacity: Int) {
        let store = EventStore()
        store.open(capacity: capacity)
        for value in 0..<capacity + 5 { store.append(event(value)) }

        let content = store.close(capacity: capacity, patience: Self.patience)

        #expect(content.events.map(\.event.value) == (0..<capacity).map(Int64.init))
        #expect(content.dropped == 5)
    }

    @Test("Takes nothing before it is opened and after it is closed")
    func closed() {
        let store = EventStore()
        store.append(event(1))
        store.open(capacity: 10)
        store.append(event(2))
        #expect(store.close(capacity: 10, patience: Self.patience).events.map(\.event.value) == [2])
        let after = store.reserve()
        #expect(after == nil)

        store.open(capacity: 10)
        store.append(event(4))

        #expect(store.close(capacity: 10, patience: Self.patience).events.map(\.event.value) == [4])
    }

    @Test("An end belongs to its beginning alone, and comes too late once the store is closed")
    func ends() {
        // The first segment holds one event, the others' memory is given back.
        let capacity = 131_072 + 1
        func span(_ time: UInt64) -> StoredEvent {
            StoredEvent(opening: Event(time: time, kind: .callback, phase: .begin))
        }
        let store = EventStore()
        store.open(capacity: capacity)
        let places = [5, 6, 7].compactMap { store.append(span($0)) }
        #expect(places.count == 3)
        let ended = (0..<3).map { store.close(places[$0], from: [5, 9, 7][$0], to: 10) }
        #expect(ended == [true, false, true])
        let again = store.close(places[0], from: 5, to: 11)
        #expect(!again)

        let content = store.close(capacity: capacity, patience: Self.patience)

        let lengths = [
            StoredEvent.length(from: 5, to: 10), StoredEvent.sign(ofSpanFrom: 6),
            StoredEvent.length(from: 7, to: 10),
        ].compactMap(\.self)
        #expect(content.events.map(\.length) == lengths)
        let late = places.map { store.close($0, from: 6, to: 12) }
        #expect(late == [false, false, false])

        store.open(capacity: capacity)
        #expect(store.close(capacity: capacity, patience: Self.patience).events.isEmpty)
    }

    @Test("Waits for an event that is being written when it closes")
    func unfinished() throws {
        let capacity = 100_000
        nonisolated(unsafe) let store = UnsafeMutablePointer<EventStore>.allocate(capacity: 1)
        store.initialize(to: EventStore())
        store.pointee.open(capacity: capacity)
        let reserved = store.pointee.reserve()
        let index = try #require(reserved)
        let late = event(1)
        let other = event(2)
        Thread.detachNewThread {
            // A reservation fails from the moment at which the store closes.
            while let next = store.pointee.reserve() {
                store.pointee.write(other, at: next)
                sched_yield()
            }
            store.pointee.write(late, at: index)
        }

        let content = store.pointee.close(capacity: capacity, patience: 30_000_000_000)

        #expect(content.events.first?.event.value == 1)
        #expect(content.dropped == 0)
        #expect(content.isComplete)
    }

    @Test("Does not wait for ever, and says that it must not be used again")
    func neverFinished() {
        let store = EventStore()
        store.open(capacity: 10)
        store.append(event(1))
        _ = store.reserve()
        store.append(event(3))

        let content = store.close(capacity: 10, patience: Self.patience)

        #expect(content.events.map(\.event.value) == [1, 3])
        #expect(content.dropped == 1)
        #expect(!content.isComplete)
    }
}
