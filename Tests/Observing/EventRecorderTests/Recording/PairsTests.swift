import EventRecorder
import Testing

@Suite("Beginnings and ends", .timeLimit(.minutes(1)))
struct PairsTests {
    private func spans(_ events: [Event]) -> [[Int]] {
        Sample.recording(events).pairs().spans.map { [$0.begin, $0.end] }
    }

    @Test
    func `an end belongs to the last open beginning of its kind and subject`() {
        let events = [
            Sample.event(1, .lockHold, .begin, subject: 1),
            Sample.event(2, .lockHold, .begin, subject: 2),
            Sample.event(3, .lockHold, .begin, subject: 1),
            Sample.event(4, .lockHold, .end, subject: 1),
            Sample.event(5, .callback, .begin, subject: 1),
            Sample.event(6, .lockHold, .end, subject: 1),
            Sample.event(7, .lockHold, .end, subject: 2),
            Sample.event(8, .callback, .end, subject: 1),
        ]
        #expect(spans(events) == [[2, 3], [0, 5], [1, 6], [4, 7]])
        #expect(Sample.recording(events).unpaired().isEmpty)
    }

    @Test(arguments: Event.Kind.allCases)
    func `spans of one thread end on it, others anywhere`(kind: Event.Kind) {
        let events = [
            Sample.event(1, kind, .begin, subject: 1, thread: Sample.main),
            Sample.event(2, kind, .begin, subject: 1, thread: Sample.network),
            Sample.event(3, kind, .end, subject: 1, thread: Sample.main),
            Sample.event(4, kind, .end, subject: 1, thread: Sample.network),
        ]
        #expect(spans(events) == (kind.isOnOneThread ? [[0, 2], [1, 3]] : [[1, 2], [0, 3]]))
    }

    @Test
    func `each kind of a span on one thread says so, and no other`() {
        let kinds: Set<Event.Kind> = [
            .lockWait, .lockHold, .runLoopSleep, .queueRun, .delegateCall, .callback,
            .serialization,
        ]
        #expect(Set(Event.Kind.allCases.filter(\.isOnOneThread)) == kinds)
    }

    @Test
    func `spans that start or stop cut off have one end, and are listed as such`() {
        let recording = Sample.recording([
            Sample.event(1, .operation, .end, subject: 1),
            Sample.event(2, .operation, .begin, subject: 2),
            Sample.event(3, .operation, .begin, subject: 2),
            Sample.event(4, .operation, .begin, subject: 2),
            Sample.event(5, .operation, .end, subject: 2),
            Sample.event(6, .lockHold, .begin, subject: 2),
        ])

        let pairs = recording.pairs()

        #expect(pairs.spans.map { [$0.begin, $0.end] } == [[3, 4]])
        #expect(pairs.endsWithoutBegin == [0])
        #expect(pairs.beginsWithoutEnd == [1, 2, 5])
        #expect(recording.unpaired() == [0, 1, 2, 5].map { recording.events[$0] })
    }

    @Test
    func `moments are no spans`() {
        #expect(spans([Sample.event(1, .operation, subject: 1)]).isEmpty)
        #expect(Sample.recording([Sample.event(1, .note)]).unpaired().isEmpty)
    }
}
