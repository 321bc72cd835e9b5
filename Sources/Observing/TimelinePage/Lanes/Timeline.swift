import EventRecorder

/// Pure: a recording as the lanes of a picture.
enum Timeline {
    /// The most lanes an era has: main, operations, four threads or queues, server; or with
    /// sockets, three.
    static let laneLimit = 7
    /// The most lanes of threads where each has its own.
    private static let detailedLimit = 24

    /// The lanes of a recording, from the caller down to the wire, at most `laneLimit`.
    ///
    /// - Parameters:
    ///   - origin: the monotonic nanoseconds that are 0 on the axis; nil is the first event.
    ///   - detail: whether threads share lanes.
    static func lanes(
        of recording: Recording, from origin: UInt64? = nil, detail: TimelineDetail = .summary
    ) -> [TimelineLane] {
        picture(of: recording, from: origin, detail: detail).lanes
    }

    /// The lanes, and who waits for whom in them where each thread has its own.
    static func picture(
        of recording: Recording, from origin: UInt64? = nil, detail: TimelineDetail = .summary
    ) -> (lanes: [TimelineLane], waits: [TimelineWait]) {
        let history = RecordedHistory(recording)
        let axis = Axis(
            origin: origin ?? history.start, end: history.end, names: SubjectNames(history))
        let work = WorkLanes(history: history, axis: axis)
        let wire = [work.operations, work.sockets, work.server].compactMap { $0 }
        let all = ThreadLanes(
            history: history, recording: recording, axis: axis, detail: detail)
        let isDetailed = detail == .eachThread
        let threads = all.lanes(atMost: isDetailed ? detailedLimit : laneLimit - wire.count)
        let locks = LockLanes(
            history: history, axis: axis, isDetailed ? all.name : { _ in "" })
        let isMain = { (lane: TimelineLane) in lane.id == ThreadLanes.mainID }
        let lanes =
            threads.filter(isMain) + wire.filter { $0.kind == .operations }
            + threads.filter { !isMain($0) } + (isDetailed ? locks.lanes : [])
            + wire.filter { $0.kind != .operations }
        return (lanes, isDetailed ? locks.waits : [])
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

/// How much of a recording a picture shows.
public enum TimelineDetail: Sendable {
    /// At most seven lanes: threads without a name share one.
    case summary
    /// Each thread has its own lane, and so has each lock that a thread waited for.
    case eachThread
}
