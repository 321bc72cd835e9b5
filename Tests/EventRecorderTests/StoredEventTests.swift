import Testing

@testable import EventRecorder

@Suite("Events as they are kept", .timeLimit(.minutes(1)))
struct StoredEventTests {
    private let scale = TickScale(from: TickScale.Moment(), to: TickScale.Moment())

    private let origin = StoredEvent.Origin(time: 5_000, nextNumber: 1 << 40)
    /// The least and the greatest subject that fits into a slot.
    private static let subjects: [UInt64] = [
        1 << 40 - 1 << 26 + 1, 1 << 40 - 1 << 26 + 1 << 27 - 1,
    ]

    /// What comes back of an event that is kept in one slot, or else in three.
    private func kept(_ event: Event, length: UInt64? = nil) -> (Event, end: Event?, slots: Int)? {
        let slots = EventLog.Slot.allocate(capacity: StoredEvent.wideCount)
        defer { slots.deallocate() }
        let shape = StoredEvent.Shape(event.kind, event.phase)
        if let stored = StoredEvent(
            shape, event.subject, event.value, event.text, at: event.time, from: origin)
        {
            slots.initialize(to: stored)
        } else {
            StoredEvent.writeWide(event, to: slots)
        }
        if let length, !slots.pointee.end(after: length) { return nil }
        switch StoredEvent.unfolded(slots, 3, origin, scale) {
        case .event(let event): return (event, nil, slots.pointee.count)
        case .two(let first, let second): return (first, second, slots.pointee.count)
        case .exchange, nil: return nil
        }
    }

    /// What comes back of an event whose numbers are small, by the way that asks for no more.
    private func keptSmall(_ event: Event, _ origin: StoredEvent.Origin) -> Event? {
        let slot = EventLog.Slot.allocate(capacity: 1)
        defer { slot.deallocate() }
        guard
            let stored = StoredEvent(
                small: StoredEvent.Shape(event.kind, event.phase), event.subject, event.value,
                event.text, at: event.time, from: origin)
        else { return nil }
        slot.initialize(to: stored)
        guard case .event(let event) = StoredEvent.unfolded(slot, 3, origin, scale) else {
            return nil
        }
        return event
    }

    private func event(_ time: UInt64 = 5_000) -> Event {
        Event(
            time: time, subject: Self.subjects[0], value: 2, text: .none, thread: 3,
            kind: .lockHold, phase: .begin)
    }

    @Test("Every kind and phase comes back as it was", arguments: Event.Kind.allCases)
    func kinds(kind: Event.Kind) throws {
        for phase in Event.Phase.allCases {
            var event = event()
            event.kind = kind
            event.phase = phase
            let (back, end, slots) = try #require(kept(event))
            #expect(back == event)
            #expect(end == nil)
            #expect(slots == 1)
        }
    }

    @Test("Numbers come back as they were, in one slot where they fit, else in three")
    func numbers() throws {
        var wrong: [Event] = []
        for time in [5_000, 5_000 + 1 << 44 - 1, 5_000 + 1 << 44, 4_999, 0, .max] as [UInt64] {
            for subject in [0, 1, .max] + Self.subjects
                + [Self.subjects[0] - 1, Self.subjects[1] + 1]
            {
                for value in [0, 4095, 4096, 1 << 32 - 1, 1 << 32, -1, .min, .max] as [Int64] {
                    for text in [0, 65_535, 65_536, .max] as [UInt32] {
                        let isSmall =
                            (5_000..<5_000 + 1 << 44).contains(time)
                            && (subject == 0 || Self.subjects.contains(subject))
                            && 0..<1 << 32 ~= value && text < 65_536
                        let event = Event(
                            time: time, subject: subject, value: value,
                            text: EventText(number: text), thread: 3, kind: .note)
                        let back = try #require(kept(event))
                        if let small = keptSmall(event, origin), small != event {
                            wrong.append(event)
                        }
                        if back.0 != event || back.end != nil || back.slots != (isSmall ? 1 : 3) {
                            wrong.append(event)
                        }
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
    }

    @Test("Small numbers come back by the short way as they were, those of no subject too")
    func small() {
        var event = event()
        for value in [0, 1, 4095] as [Int64] {
            for subject in Self.subjects {
                (event.subject, event.value) = (subject, value)
                #expect(keptSmall(event, origin) == event)
            }
        }
        event.value = 4096
        #expect(keptSmall(event, origin) == nil)
        (event.subject, event.value) = (0, 1)
        #expect(keptSmall(event, origin) == nil)
        // A young process, whose origin lies before its first number.
        let young = StoredEvent.Origin(time: 5_000, nextNumber: 7)
        for subject in 0...7 as ClosedRange<UInt64> {
            event.subject = subject
            #expect(keptSmall(event, young) == event)
        }
    }

    @Test("A span becomes a beginning and an end", arguments: [0, 1, 1_003, StoredEvent.longest])
    func span(length: UInt64) throws {
        let (first, end, slots) = try #require(kept(event(), length: length))
        #expect(first == event())
        var last = event()
        last.phase = .end
        last.time += length
        #expect(end == last)
        #expect(slots == 1)
    }

    @Test("What may become a span keeps the room for its length", arguments: Event.Kind.allCases)
    func longValues(kind: Event.Kind) throws {
        for phase in Event.Phase.allCases {
            var event = event()
            (event.kind, event.phase, event.value) = (kind, phase, 70_000)
            let (back, end, slots) = try #require(kept(event))
            #expect(back == event)
            #expect(end == nil)
            #expect(slots == (kind.isOnOneThread && phase == .begin ? 3 : 1))
        }
    }

    @Test("One that is too long for one event has no end there")
    func tooLong() {
        #expect(kept(event(), length: StoredEvent.longest + 1) == nil)
        #expect(kept(event(), length: .max) == nil)
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

    @Test("A span that the stop cuts has its beginning; the next recording does not see it")
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
        #expect(second.events.map(\.subject) == [3, 0, 3])
        #expect(second.unpaired().isEmpty)
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

    @Test("Spans that are opened and closed one by one come out in each other")
    func openSpans() throws {
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

    @Test("A span whose numbers are large has its end, with all that its beginning has")
    func largeSpan() throws {
        let recording = try Self.record(capacity: 10) {
            EventRecorder.span(.callback, subject: .max, value: 1 << 40, text: Self.success) {}
        }
        let events = recording.events
        #expect(events.map(\.phase) == [.begin, .end])
        #expect(events.map(\.subject) == [.max, .max])
        #expect(events.map(\.value) == [1 << 40, 1 << 40])
        #expect(events.map(\.text) == [Self.success, Self.success])
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
