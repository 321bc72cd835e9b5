import EventRecorder
import Foundation
import Testing

extension RecorderTests {
    /// One thread's work: operations with locks inside locks, whose numbers tell the order.
    private struct Writer {
        private var count: Int64 = 0

        /// Their values count all events of the thread.
        mutating func work(subject: UInt64) {
            EventRecorder.begin(.operation, subject: subject, value: next())
            EventRecorder.begin(.lockWait, subject: subject, value: next())
            EventRecorder.end(.lockWait, subject: subject, value: next())
            EventRecorder.begin(.lockHold, subject: 1, value: next())
            EventRecorder.begin(.lockHold, subject: 1, value: next())
            EventRecorder.instant(.operationState, subject: subject, value: next())
            EventRecorder.begin(.callback, subject: subject, value: next(), text: success)
            EventRecorder.end(.callback, subject: subject, value: next(), text: success)
            EventRecorder.end(.lockHold, subject: 1, value: next())
            EventRecorder.end(.lockHold, subject: 1, value: next())
            EventRecorder.end(.operation, subject: subject, value: next())
        }

        static let eventsOfWork = 11

        private mutating func next() -> Int64 {
            count += 1
            return count
        }
    }

    /// Each thread's events are there from its first to its last, in its order.
    private func expectNoGap(in recording: Recording) {
        var last: [UInt32: Int64] = [:]
        var gaps = 0
        for event in recording.events {
            if let last = last[event.thread], event.value != last + 1 { gaps += 1 }
            last[event.thread] = event.value
        }
        #expect(gaps == 0)
    }

    @Test
    func `of a million events of four threads each begin has its end`() throws {
        let rounds = 23_000
        let recording = try Self.record(capacity: 1_100_000) {
            let threads = DispatchGroup()
            for _ in 0..<4 {
                threads.enter()
                Thread.detachNewThread {
                    var writer = Writer()
                    for _ in 0..<rounds { writer.work(subject: EventRecorder.nextNumber()) }
                    threads.leave()
                }
            }
            threads.wait()
        }

        #expect(recording.dropped == 0)
        #expect(recording.events.count == 4 * rounds * Writer.eventsOfWork)
        #expect(recording.events.count > 1_000_000)
        #expect(recording.unpaired().isEmpty)
        #expect(recording.pairs().spans.count == 4 * rounds * 5)
        expectNoGap(in: recording)
        expectNesting(of: recording)
    }

    /// Every end of a lock's holding belongs to the beginning that its number tells.
    private func expectNesting(of recording: Recording) {
        let distances: [Event.Kind: Set<Int64>] = [
            .operation: [10], .lockWait: [1], .lockHold: [4, 6], .callback: [1],
        ]
        var wrong = 0
        for span in recording.pairs().spans {
            let begin = recording.events[span.begin]
            let end = recording.events[span.end]
            let isRight =
                begin.thread == end.thread
                && distances[begin.kind]?.contains(end.value - begin.value) == true
            wrong += isRight ? 0 : 1
        }
        #expect(wrong == 0)
    }

    @Test
    func `starts and stops in the middle cut spans at the edges, and nowhere else`() throws {
        let isOver = Flag()
        let threads = DispatchGroup()
        for _ in 0..<4 {
            threads.enter()
            Thread.detachNewThread {
                var writer = Writer()
                while !isOver.isSet { writer.work(subject: EventRecorder.nextNumber()) }
                threads.leave()
            }
        }
        defer {
            isOver.set()
            threads.wait()
        }

        for round in 0..<20 {
            try EventRecorder.start(capacity: 10_000)
            let end = Date() + 0.001
            while Date() < end { sched_yield() }
            let recording = EventRecorder.stop()

            expectNoGap(in: recording)
            expectCutsAtEdges(of: recording, "round \(round)")
        }
    }

    /// At most four spans of a thread are open at a time.
    private func expectCutsAtEdges(of recording: Recording, _ comment: Comment) {
        let pairs = recording.pairs()
        let threads = Set(recording.events.map(\.thread)).count
        #expect(pairs.beginsWithoutEnd.count <= 4 * threads, comment)
        #expect(pairs.endsWithoutBegin.count <= 4 * threads, comment)
        var first: [UInt32: Int64] = [:]
        var last: [UInt32: Int64] = [:]
        for event in recording.events {
            first[event.thread] = first[event.thread] ?? event.value
            last[event.thread] = event.value
        }
        for event in pairs.endsWithoutBegin.map({ recording.events[$0] }) {
            #expect(event.value - (first[event.thread] ?? 0) < 10, comment)
        }
        for event in pairs.beginsWithoutEnd.map({ recording.events[$0] }) {
            #expect((last[event.thread] ?? 0) - event.value < 10, comment)
        }
    }
}

/// A sign from one thread to others.
private final class Flag: @unchecked Sendable {
    // @unchecked because `value` is used under `lock` alone.
    private let lock = NSLock()
    // MARK: Guarded by lock
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
