import Testing

@testable import EventRecorder

extension RecorderTests {
    @Test
    func `a span is a begin and an end, with all its values`() throws {
        let recording = try Self.record(capacity: 4) {
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

    @Test
    func `a span that the stop cuts has its beginning; the next recording does not see it`() throws
    {
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
        #expect(second.events.map(\.subject) == [3, 0, 3])
        #expect(second.unpaired().isEmpty)
    }

    @Test
    func `a span whose beginning found no room counts twice as dropped`() throws {
        let recording = try Self.record(capacity: 1) {
            EventRecorder.instant(.note)
            EventRecorder.span(.callback, subject: 1) {}
        }
        #expect(recording.events.map(\.kind) == [.note])
        #expect(recording.dropped == 2)
    }

    @Test
    func `spans that are opened and closed one by one come out in each other`() throws {
        let recording = try Self.record(capacity: 1_000) {
            for _ in 0..<100 {
                let outer = EventRecorder.open(.lockHold, subject: 9, value: 1)
                let inner = EventRecorder.open(.lockHold, subject: 9, value: 2)
                EventRecorder.close(inner)
                EventRecorder.close(outer)
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

    @Test
    func `a span's end has the largest numbers that its beginning has`() throws {
        let recording = try Self.record(capacity: 10) {
            EventRecorder.span(.callback, subject: .max, value: .min, text: Self.success) {}
        }
        let events = recording.events
        #expect(events.map(\.phase) == [.begin, .end])
        #expect(events.map(\.subject) == [.max, .max])
        #expect(events.map(\.value) == [.min, .min])
        #expect(events.map(\.text) == [Self.success, Self.success])
    }

    @Test
    func
        `an event recorded later is sorted by its time, and dropped where that is before the start`()
        throws
    {
        let before = EventRecorder.now
        let recording = try Self.record(capacity: 10) {
            EventRecorder.instant(.note, value: 1)
            let time = EventRecorder.now
            while EventRecorder.now <= time {}
            EventRecorder.instant(.note, value: 3)
            EventRecorder.note(.note, .instant, subject: 2, at: time)
            EventRecorder.note(.note, .instant, subject: 4, at: before)
        }
        #expect(recording.events.map(\.value) == [1, 0, 3])
        #expect(recording.events.map(\.subject) == [0, 2, 0])
    }
}
