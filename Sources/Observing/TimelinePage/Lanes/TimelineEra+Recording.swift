public import EventRecorder

extension TimelineEra {
    /// A run as it was recorded.
    ///
    /// - Parameters:
    ///   - name: short, for the heads of tables.
    ///   - colour: nil takes the colour whose name the era has, or else the connection era's.
    ///   - heading: what it is called over its lanes.
    ///   - title: a description, may be empty.
    ///   - recording: what happened.
    ///   - origin: the monotonic nanoseconds that are 0 on the axis; nil is the first event.
    ///   - detail: whether threads share lanes, of which there are seven at most then.
    ///   - facts: measured numbers; a missing peak lock depth is taken from the recording.
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
        let (lanes, waits) = Timeline.picture(of: recording, from: origin, detail: detail)
        self.init(
            name, colour: colour, heading: heading, title: title, facts: facts,
            outcomes: outcomes, lanes: lanes, waits: waits)
        if detail == .eachThread, let first = recording.events.first,
            let last = recording.events.last
        {
            let begin = origin ?? first.time
            length = last.time > begin ? Double(last.time - begin) / 1_000_000 : 0
        }
    }
}
