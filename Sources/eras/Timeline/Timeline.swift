import EventRecorder

/// Pure: a recording as the lanes of a picture.
enum Timeline {
    /// The most lanes an era has: main, operations, four threads or queues, server; or with
    /// sockets, three.
    static let laneLimit = 7

    /// One era's part of a scenario.
    ///
    /// - Parameters:
    ///   - name: see `TimelineEra.name`.
    ///   - heading: what it is called.
    ///   - title: a description of the era.
    ///   - origin: the monotonic nanoseconds that are 0 on the axis; nil is the first event.
    ///   - facts: measured numbers; a missing peak lock depth is taken from the recording.
    ///   - outcomes: the outcomes, in the order in which they are compared.
    static func era(
        _ name: String, heading: String, title: String = "", recording: Recording,
        from origin: UInt64? = nil, facts: TimelineFacts = TimelineFacts(),
        outcomes: [TimelineOutcome] = []
    ) -> TimelineEra {
        var facts = facts
        if facts.peakLockDepth == nil {
            let depths = recording.events.filter { $0.kind == .lockHold }.map(\.value)
            facts.peakLockDepth = depths.max().map { Int($0) }
        }
        return TimelineEra(
            name: name, heading: heading, title: title, facts: facts, outcomes: outcomes,
            lanes: lanes(of: recording, from: origin))
    }

    /// The lanes of a recording, from the caller down to the wire, at most `laneLimit`.
    ///
    /// - Parameter origin: the monotonic nanoseconds that are 0 on the axis; nil is the first
    ///   event.
    static func lanes(of recording: Recording, from origin: UInt64? = nil) -> [TimelineLane] {
        let history = RecordedHistory(recording)
        let axis = Axis(
            origin: origin ?? history.start, end: history.end, names: SubjectNames(history))
        let work = WorkLanes(history: history, axis: axis)
        let wire = [work.operations, work.sockets, work.server].compactMap { $0 }
        let threads = ThreadLanes(history: history, recording: recording, axis: axis)
            .lanes(atMost: laneLimit - wire.count)
        let isMain = { (lane: TimelineLane) in lane.id == ThreadLanes.mainID }
        return threads.filter(isMain) + wire.filter { $0.kind == .operations }
            + threads.filter { !isMain($0) } + wire.filter { $0.kind != .operations }
    }

    /// A recording by itself, for `eras fetch --html`.
    static func document(
        of recording: Recording, title: String, command: String, machine: String = "",
        facts: TimelineFacts = TimelineFacts()
    ) -> TimelineDocument {
        let scenario = TimelineScenario(
            id: "recording", title: command,
            eras: [
                era(
                    "connection", heading: "connection era",
                    title: "operations on one network thread", recording: recording, facts: facts)
            ])
        return TimelineDocument(
            title: title, machine: machine, date: recording.startDate, scenarios: [scenario])
    }

    /// Converts recorded times and subjects to those of the page.
    struct Axis {
        var origin: UInt64
        var end: UInt64
        var names: SubjectNames

        /// Milliseconds after the origin; earlier times are 0.
        func milliseconds(_ time: UInt64) -> Double {
            time <= origin ? 0 : Double(time - origin) / 1_000_000
        }
    }
}
