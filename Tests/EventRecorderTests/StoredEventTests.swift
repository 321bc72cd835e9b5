import Testing

@testable import EventRecorder

@Suite("Events as they are kept", .timeLimit(.minutes(1)))
struct StoredEventTests {
    private let scale = TickScale(from: TickScale.Moment(), to: TickScale.Moment())

    private func event(_ time: UInt64) -> Event {
        Event(time: time, subject: 7, value: 2, thread: 3, kind: .lockHold, phase: .begin)
    }

    @Test("A span becomes a beginning and an end")
    func span() throws {
        for length in [0, 1, 1_000_003, 0x7FFF_FFFC] as [UInt64] {
            let stored = try #require(StoredEvent(event(5_000), until: 5_000 + length))
            let (first, end) = stored.unfolded(scale)
            #expect(first == event(5_000))
            let last = try #require(end)
            #expect(last.phase == .end)
            #expect(last.subject == 7 && last.value == 2 && last.thread == 3)
            #expect(last.time == 5_000 + length)
        }
    }

    @Test("One that is too long for one event is none")
    func tooLong() {
        #expect(StoredEvent(event(1), until: 1 + 0x7FFF_FFFD) == nil)
        #expect(StoredEvent(event(2), until: 1) == nil)
    }

    @Test(
        "A span without an end is a beginning, and its sign is no length", arguments: [0, 1, .max])
    func open(time: UInt64) {
        let stored = StoredEvent(opening: event(time))
        let (first, end) = stored.unfolded(scale)
        #expect(first == event(time))
        #expect(end == nil)
        #expect(stored.length == StoredEvent.sign(ofSpanFrom: time))
        #expect(stored.length > 0x7FFF_FFFF)
    }

    @Test("Both clocks' beginnings and ends fall together, and what is between lies between")
    func scaling() {
        let start = TickScale.Moment()
        var end = TickScale.Moment()
        while end.nanoseconds < start.nanoseconds + 1_000_000 { end = TickScale.Moment() }
        let scale = TickScale(from: start, to: end)
        #expect(scale.nanoseconds(start.ticks) == start.nanoseconds)
        #expect(scale.nanoseconds(end.ticks).distance(to: end.nanoseconds).magnitude <= 1)
        let middle = start.nanoseconds + (end.nanoseconds - start.nanoseconds) / 2
        let back = scale.nanoseconds(scale.ticks(middle))
        #expect(back.distance(to: middle).magnitude <= 2)
    }
}

extension RecorderTests {
    @Test("A span takes one place, and its ends are told apart")
    func spans() throws {
        let recording = try Self.record(capacity: 2) {
            EventRecorder.span(.callback, subject: 1, value: 3, text: Self.success) {
                EventRecorder.span(.delegateCall, subject: 2) {}
            }
        }
        #expect(recording.dropped == 0)
        let events = recording.events
        #expect(events.map(\.kind) == [.callback, .delegateCall, .delegateCall, .callback])
        #expect(events.map(\.phase) == [.begin, .begin, .end, .end])
        #expect(events.map(\.subject) == [1, 2, 2, 1])
        #expect(events.map(\.value) == [3, 0, 0, 3])
        #expect(events.map(\.text) == [Self.success, .none, .none, Self.success])
        #expect(recording.unpaired().isEmpty)
    }

    @Test("A span that the stop cuts has its beginning, and the next recording not its end")
    func cutSpan() throws {
        var first = Recording()
        try EventRecorder.start(capacity: 10)
        EventRecorder.span(.callback, subject: 1) { first = EventRecorder.stop() }
        #expect(first.events.map(\.phase) == [.begin])

        try EventRecorder.start(capacity: 10)
        try EventRecorder.span(.callback, subject: 2) {
            _ = EventRecorder.stop()
            try EventRecorder.start(capacity: 10)
            // In the place that the cut one had.
            EventRecorder.span(.callback, subject: 3) {
                EventRecorder.instant(.note)
            }
        }
        let second = EventRecorder.stop()
        #expect(second.events.map(\.subject) == [3, 0, 3, 2])
        #expect(second.unpaired().map(\.subject) == [2])
        #expect(second.unpaired().map(\.phase) == [.end])
    }

    @Test("A span whose beginning found no room counts twice as dropped")
    func droppedSpan() throws {
        let recording = try Self.record(capacity: 1) {
            EventRecorder.instant(.note)
            EventRecorder.span(.callback, subject: 1) {}
        }
        #expect(recording.events.map(\.kind) == [.note])
        #expect(recording.dropped == 2)
    }

    @Test("Spans in each other that are kept whole come out in each other")
    func wholeSpans() throws {
        let recording = try Self.record(capacity: 1_000) {
            for _ in 0..<100 {
                let outer = EventRecorder.beginning
                let inner = EventRecorder.beginning
                let innerEnd = EventRecorder.beginning
                let outerEnd = EventRecorder.beginning
                EventRecorder.whole(.lockHold, subject: 9, value: 2, from: inner, to: innerEnd)
                EventRecorder.whole(.lockHold, subject: 9, value: 1, from: outer, to: outerEnd)
            }
        }
        #expect(recording.unpaired().isEmpty)
        let spans = recording.pairs().spans
        #expect(spans.count == 200)
        for span in spans {
            let (begin, end) = (recording.events[span.begin], recording.events[span.end])
            #expect(begin.value == end.value)
        }
    }

    @Test("What began before the start is left out whole")
    func wholeSpanFromBefore() throws {
        let before = EventRecorder.beginning
        let recording = try Self.record(capacity: 10) {
            EventRecorder.whole(
                .lockHold, subject: 9, value: 1, from: before, to: EventRecorder.beginning)
        }
        #expect(recording.events.isEmpty)
    }

    @Test("What is told later stands where it belongs by its time")
    func late() throws {
        // Both clocks agree to a fraction of a microsecond, so the moments lie further apart.
        func moment() -> UInt64 {
            let begin = MonotonicClock.now
            while MonotonicClock.now < begin + 20_000 {}
            return MonotonicClock.now
        }
        let recording = try Self.record(capacity: 10) {
            EventRecorder.instant(.note, value: 1)
            let time = moment()
            _ = moment()
            EventRecorder.instant(.note, value: 3)
            EventRecorder.append(.note, .instant, subject: 2, text: .none, at: time)
        }
        #expect(recording.events.map(\.value) == [1, 0, 3])
        #expect(recording.events.map(\.subject) == [0, 2, 0])
    }
}
