import EventRecorder

/// The tracks of threads and queues.
///
/// A queue's blocks run on any thread, so its track is found by its label. A thread with a name has
/// a track of its own; threads without a name share one, except with `TimelineDetail.eachThread`.
struct ThreadTracks {
    static let mainID = "thread-main"
    /// The name of the network thread, as in AFNetworking 2.
    private static let networkThread = "AFNetworking"

    private let history: RecordedHistory
    private let recording: Recording
    private let axis: Timeline.Axis
    /// Threads that ran a queue's blocks.
    private let workers: Set<UInt32>
    private let detail: TimelineDetail
    /// The index of each thread, in the order of their first events.
    private let order: [UInt32: Int]

    init(
        history: RecordedHistory, recording: Recording, axis: Timeline.Axis,
        detail: TimelineDetail = .summary
    ) {
        self.detail = detail
        let threads = recording.events.map(\.thread)
        order = threads.reduce(into: [:]) { order, thread in
            if order[thread] == nil { order[thread] = order.count + 1 }
        }
        self.history = history
        self.recording = recording
        self.axis = axis
        workers = Set(
            history.spans.filter {
                $0.kind == .queueRun && !Self.isMain($0.text)
                    && $0.text != recording.threads[$0.place.thread]
            }.map(\.place.thread))
    }

    /// The tracks in order. Those with the fewest marks are merged until there are at most `limit`.
    func tracks(atMost limit: Int) -> [TimelineTrack] {
        var tracks = collected.values.filter { !$0.track.spans.isEmpty || !$0.track.dots.isEmpty }
        while tracks.count > max(limit, 2) {
            // Merges the track with the fewest marks, except the main thread's.
            let candidates = tracks.indices.filter {
                tracks[$0].track.id != Self.mainID && tracks[$0].track.id != Self.othersID
            }
            guard let least = candidates.min(by: { tracks[$0].weight < tracks[$1].weight }) else {
                break
            }
            let merged = tracks.remove(at: least)
            if let others = tracks.firstIndex(where: { $0.track.id == Self.othersID }) {
                tracks[others].take(merged)
            } else {
                var others = Self.others
                others.take(merged)
                tracks.append(others)
            }
        }
        return tracks.map(\.finished).sorted { ($0.order, $0.track.id) < ($1.order, $1.track.id) }
            .map(\.track)
    }

    // MARK: Which track

    private static let othersID = "threads-other"
    private static var others: Collected {
        Collected(
            track: TimelineTrack(id: othersID, name: "other threads", kind: .thread), order: 6)
    }

    /// A track that is being filled.
    private struct Collected {
        var track: TimelineTrack
        /// Its position from the top.
        var order: Int
        var label: String?
        var threads: Set<UInt32> = []
        var merged: [String] = []

        var weight: Int { track.spans.count + track.dots.count }

        mutating func take(_ other: Collected) {
            track.spans += other.track.spans
            track.dots += other.track.dots
            threads.formUnion(other.threads)
            merged.append(other.track.name)
        }

        /// The track with a sentence on its contents, and its marks in order.
        var finished: Collected {
            var finished = self
            var sentences: [String] = []
            if let label, label != track.name {
                sentences.append(track.kind == .queue ? "Label \(label)." : "Named \(label).")
            }
            if track.kind == .queue || threads.count > 1 {
                sentences.append("On \(HTMLText.counted(threads.count, "thread")).")
            }
            if track.id == ThreadTracks.othersID {
                sentences.append("Threads without a name: an operation queue's, or the system's.")
            }
            if !merged.isEmpty {
                sentences.append("With " + merged.sorted().joined(separator: ", ") + ".")
            }
            finished.track.detail = sentences.joined(separator: " ")
            finished.track.spans.sort { ($0.start, -$0.end) < ($1.start, -$1.end) }
            finished.track.dots.sort { $0.time < $1.time }
            return finished
        }
    }

    private func emptyTrack(at place: RecordedHistory.Place) -> Collected {
        // A block that was submitted under a thread's name runs on that thread, not on a queue.
        if let label = place.queue, !Self.isMain(label), label != recording.threads[place.thread] {
            let (name, order) = Self.queueName(label)
            return Collected(
                track: TimelineTrack(id: "queue-" + label, name: name, kind: .queue), order: order,
                label: label)
        }
        if let name = ownName(of: place.thread) {
            let isMain = name == "main"
            return Collected(
                track: TimelineTrack(
                    id: isMain ? Self.mainID : "thread-" + name,
                    name: name == Self.networkThread ? "network thread" : name, kind: .thread),
                order: isMain ? 0 : 1, label: isMain ? nil : name)
        }
        if place.isInDelegateCall {
            return Collected(
                track: TimelineTrack(id: "queue-delegate", name: "delegate queue", kind: .queue),
                order: 2)
        }
        guard detail == .eachThread else { return Self.others }
        let number = order[place.thread] ?? 0
        return Collected(
            track: TimelineTrack(
                id: "thread-number-\(number)", name: "thread \(number)", kind: .thread),
            order: 6)
    }

    /// The name of a place's track.
    func name(of place: RecordedHistory.Place) -> String { emptyTrack(at: place).track.name }

    /// The name that the program gave to this thread. That is not "thread 7", a default, and not one
    /// that a queue's worker inherited from the thread that started it.
    private func ownName(of thread: UInt32) -> String? {
        guard let name = recording.threads[thread], !name.isEmpty, name != recording.process,
            name != "thread \(thread)", name == "main" || !workers.contains(thread)
        else { return nil }
        return name
    }

    private static func isMain(_ label: String) -> Bool {
        label == "com.apple.main-thread" || label == "com.apple.main-queue" || label == "main"
    }

    /// A queue's name for readers, and its position from the top.
    static func queueName(_ label: String) -> (name: String, order: Int) {
        if isMain(label) { return ("main", 0) }
        let label = label.lowercased()
        for (word, order) in [("delegate", 2), ("processing", 3), ("completion", 4)]
        where label.contains(word) {
            return (word + " queue", order)
        }
        // Alamofire's label.
        if label.hasSuffix("session-manager") { return ("delegate queue", 2) }
        let last = label.split(separator: ".").last.map(String.init) ?? label
        return (last.contains("queue") ? last : last + " queue", 5)
    }

    // MARK: What is in it

    private var collected: [String: Collected] {
        var tracks: [String: Collected] = [:]
        func put(at place: RecordedHistory.Place, _ change: (inout TimelineTrack) -> Void) {
            let empty = emptyTrack(at: place)
            tracks[empty.track.id, default: empty].threads.insert(place.thread)
            change(&tracks[empty.track.id, default: empty].track)
        }
        let moments = ThreadMoments(history: history, axis: axis)
        for recorded in history.spans {
            guard var span = moments.span(recorded) else { continue }
            put(at: recorded.place) { track in
                // The mark need not repeat the queue's name, which the track has.
                if span.kind == .block, track.name == span.name { span.name = "" }
                track.spans.append(span)
                if recorded.kind == .callback {
                    track.dots.append(moments.dot(ofCallback: recorded))
                }
            }
        }
        var modes: [UInt32: String] = [:]
        for recorded in history.instants {
            // The mode is recorded in each pass; only changes are drawn.
            if recorded.kind == .runLoopMode,
                modes.updateValue(recorded.text, forKey: recorded.place.thread) == recorded.text
            {
                continue
            }
            if recorded.kind == .note, recorded.text == ThreadClock.note {
                guard let span = moments.computing(recorded),
                    let thread = UInt32(exactly: recorded.subject)
                else { continue }
                // Another thread measured it.
                let place = RecordedHistory.Place(thread: thread)
                put(at: place) { $0.spans.append(span) }
                continue
            }
            guard let dot = moments.dot(recorded) else { continue }
            put(at: recorded.place) { $0.dots.append(dot) }
        }
        return tracks
    }
}

/// The mark of one recorded event on a thread's or a queue's track.
struct ThreadMoments {
    private let history: RecordedHistory
    private let axis: Timeline.Axis
    /// When each block was dispatched to its queue.
    private let submitted: [UInt64: UInt64]
    /// The run-loop sources that each thread served, in the order of time.
    private let sources: [UInt32: [RecordedHistory.Instant]]

    init(history: RecordedHistory, axis: Timeline.Axis) {
        self.history = history
        self.axis = axis
        submitted = Dictionary(
            history.instants.filter { $0.kind == .queueSubmit }.map { ($0.subject, $0.time) },
            uniquingKeysWith: { first, _ in first })
        sources = Dictionary(
            grouping: history.instants.filter { $0.kind == .runLoopSource }, by: \.place.thread)
    }

    /// Nil for an event of another kind of track.
    func span(_ recorded: RecordedHistory.Span) -> TimelineSpan? {
        let kind: TimelineSpan.Kind
        var name = recorded.text
        var detail = ""
        switch recorded.kind {
        case .runLoopSleep:
            kind = .asleep
            detail = wakening(recorded)
        case .queueRun:
            kind = .block
            name = ThreadTracks.queueName(name).name
            if let time = submitted[recorded.subject], time <= recorded.start {
                detail = "waited \(HTMLText.milliseconds(nanoseconds: recorded.start - time)) ms"
            }
        case .delegateCall: kind = .delegateCall
        case .callback: kind = .callback
        case .serialization: kind = .serialization
        // A value below 1 is no lock, but a thread's end, for which others wait.
        case .lockHold where recorded.value < 1: return nil
        case .lockHold:
            kind = .lockHeld
            name = "depth \(recorded.value)"
        case .lockWait:
            kind = .lockWait
            name = ""
        case .operation, .operationState, .runLoopSource, .runLoopMode, .queueSubmit, .socket,
            .connecting, .handshake, .transfer, .responseHead, .bytesReceived, .bytesSent,
            .sessionTask, .sessionTaskState, .serverConnection, .serverExchange, .enqueued, .note,
            .request, .requestState:
            return nil
        }
        return TimelineSpan(
            start: axis.milliseconds(recorded.start), end: axis.milliseconds(recorded.end),
            name: name, kind: kind, subject: axis.names[recorded.subject],
            depth: kind == .lockHeld ? Int(recorded.value) : recorded.nesting, detail: detail,
            isUnfinished: recorded.isUnfinished)
    }

    /// Such as "woken by sockets": the source that ran right after the sleep, if one did.
    private func wakening(_ sleep: RecordedHistory.Span) -> String {
        guard !sleep.isUnfinished, let all = sources[sleep.place.thread] else { return "" }
        // A binary search for the first source after the sleep.
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].time < sleep.end { low = middle + 1 } else { high = middle }
        }
        guard low < all.count, all[low].time - sleep.end < 1_000_000 else { return "" }
        return "woken by " + all[low].text
    }

    /// The bar of a thread's measured processor time, which ends at the reading; nil where it is none.
    func computing(_ recorded: RecordedHistory.Instant) -> TimelineSpan? {
        guard recorded.value > 0 else { return nil }
        let end = axis.milliseconds(recorded.time)
        let start = max(0, end - Double(recorded.value) / 1_000_000)
        return TimelineSpan(start: start, end: end, name: "", kind: .computing)
    }

    /// The dot above the bar of a caller's block.
    func dot(ofCallback recorded: RecordedHistory.Span) -> TimelineDot {
        let text = recorded.text.lowercased()
        let kind: TimelineDot.Kind =
            text.contains("fail") || text.contains("error")
            ? .failure : text.contains("progress") ? .progress : .callback
        return TimelineDot(
            time: axis.milliseconds(recorded.start), name: recorded.text, kind: kind,
            subject: axis.names[recorded.subject])
    }

    /// Nil for an event of another kind of track, or of a span.
    func dot(_ recorded: RecordedHistory.Instant) -> TimelineDot? {
        let kind: TimelineDot.Kind
        var name = recorded.text
        var bytes: Int64 = 0
        switch recorded.kind {
        case .queueSubmit:
            kind = .submitted
            name = "to " + ThreadTracks.queueName(name).name
        case .runLoopMode: kind = .mode
        case .responseHead:
            kind = .head
            name = recorded.value > 0 ? "status \(recorded.value)" : ""
        case .bytesReceived, .bytesSent:
            kind = recorded.kind == .bytesSent ? .sent : .received
            bytes = recorded.value
        case .enqueued:
            kind = .enqueued
        // A note without a text only marks a time.
        case .note where name.isEmpty: return nil
        case .note: kind = .note
        case .operation, .operationState, .lockWait, .lockHold, .runLoopSleep, .runLoopSource,
            .queueRun, .delegateCall, .callback, .socket, .connecting, .handshake, .transfer,
            .serialization, .sessionTask, .sessionTaskState, .serverConnection, .serverExchange,
            .request, .requestState:
            return nil
        }
        return TimelineDot(
            time: axis.milliseconds(recorded.time), name: name, kind: kind,
            subject: axis.names[recorded.subject], bytes: bytes)
    }
}
