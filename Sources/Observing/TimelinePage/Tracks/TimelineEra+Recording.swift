public import EventRecorder

extension TimelineEra {
    /// A recorded run.
    ///
    /// - Parameters:
    ///   - name: short, for the headings of tables.
    ///   - colour: nil is the colour with the era's name, or else the connection era's.
    ///   - heading: the heading of its tracks.
    ///   - title: a description, may be empty.
    ///   - recording: the recording.
    ///   - origin: the time, in monotonic nanoseconds, that is 0 on the axis; nil is the first event's.
    ///   - detail: whether threads share tracks.
    ///   - facts: measured numbers; a missing peak lock depth is computed from the recording.
    ///   - outcomes: the outcomes, in the order in which they are compared.
    public init(
        _ name: String, colour: Colour? = nil, heading: String, title: String = "",
        recording: Recording, from origin: UInt64? = nil, detail: TimelineDetail = .summary,
        facts: TimelineFacts = TimelineFacts(), outcomes: [TimelineOutcome] = []
    ) {
        var facts = facts
        if facts.peakLockDepth == nil {
            let depths = recording.events.filter { $0.kind == .lockHold }.map(\.value)
            facts.peakLockDepth = depths.max().map { Int($0) }
        }
        let (tracks, waits) = Timeline.picture(of: recording, from: origin, detail: detail)
        self.init(
            name, colour: colour, heading: heading, title: title, facts: facts,
            outcomes: outcomes, tracks: tracks, waits: waits)
        if detail == .eachThread, let first = recording.events.first,
            let last = recording.events.last
        {
            let begin = origin ?? first.time
            length = last.time > begin ? Double(last.time - begin) / 1_000_000 : 0
        }
    }
}
