public import EventRecorder

/// Makes a picture's tracks from a recording.
enum Timeline {
    /// The most tracks of an era: main thread, operations, server, and four threads or queues, or
    /// three with a track for sockets.
    static let trackLimit = 7
    /// The most tracks of threads where each thread has its own.
    private static let detailedLimit = 24

    /// The tracks of a recording, from the caller down to the wire; at most `trackLimit` in a summary.
    ///
    /// - Parameters:
    ///   - origin: the time, in monotonic nanoseconds, that is 0 on the axis; nil is the first event's.
    ///   - detail: whether threads share tracks.
    static func tracks(
        of recording: Recording, from origin: UInt64? = nil, detail: TimelineDetail = .summary
    ) -> [TimelineTrack] {
        picture(of: recording, from: origin, detail: detail).tracks
    }

    /// The tracks, and the chains of waiting threads where each thread has its own track.
    static func picture(
        of recording: Recording, from origin: UInt64? = nil, detail: TimelineDetail = .summary
    ) -> (tracks: [TimelineTrack], waits: [TimelineWait]) {
        let history = RecordedHistory(recording)
        let axis = Axis(
            origin: origin ?? history.start, end: history.end, names: SubjectNames(history))
        let work = WorkTracks(history: history, axis: axis)
        let wire = [work.operations, work.sockets, work.server].compactMap { $0 }
        let all = ThreadTracks(
            history: history, recording: recording, axis: axis, detail: detail)
        let isDetailed = detail == .eachThread
        let threads = all.tracks(atMost: isDetailed ? detailedLimit : trackLimit - wire.count)
        let locks = LockTracks(
            history: history, axis: axis, isDetailed ? all.name : { _ in "" })
        let isMain = { (track: TimelineTrack) in track.id == ThreadTracks.mainID }
        let tracks =
            threads.filter(isMain) + wire.filter { $0.kind == .operations }
            + threads.filter { !isMain($0) } + (isDetailed ? locks.tracks : [])
            + wire.filter { $0.kind != .operations }
        return (tracks, isDetailed ? locks.waits : [])
    }

    /// Converts recorded times to milliseconds, and subjects to names.
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

/// How much of a recording a picture shows.
public enum TimelineDetail: Sendable {
    /// At most seven tracks: threads without a name share one.
    case summary
    /// Each thread has its own track, up to 24, and so have up to four locks that a thread waited long for.
    case eachThread
}

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
            facts.peakLockDepth = depths.max().flatMap { $0 > 0 ? Int($0) : nil }
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
