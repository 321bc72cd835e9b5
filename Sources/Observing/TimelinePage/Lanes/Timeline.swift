import EventRecorder

/// Pure: a recording as the lanes of a picture.
enum Timeline {
    /// The most lanes an era has: main, operations, four threads or queues, server; or with
    /// sockets, three.
    static let laneLimit = 7

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
