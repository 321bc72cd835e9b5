import EventRecorder

/// Pure: the lanes of threads and queues.
///
/// A queue's blocks run on any thread, so its lane is found by its label. A thread
/// with a name has its own lane; threads without a name share one.
struct ThreadLanes {
    static let mainID = "thread-main"
    /// The name of the connection era's network thread, as in AFNetworking 2.
    private static let networkThread = "AFNetworking"

    private let history: RecordedHistory
    private let recording: Recording
    private let axis: Timeline.Axis
    /// Threads that ran a queue's blocks.
    private let workers: Set<UInt32>
    private let detail: TimelineDetail
    /// The threads in the order in which they are first seen.
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

    /// The lanes in order; the lanes with the fewest marks are merged until `limit` is kept.
    func lanes(atMost limit: Int) -> [TimelineLane] {
        var lanes = collected.values.filter { !$0.lane.spans.isEmpty || !$0.lane.dots.isEmpty }
        while lanes.count > max(limit, 2) {
            // The main thread's lane stays. Of the others the one with the fewest marks is merged.
            let candidates = lanes.indices.filter {
                lanes[$0].lane.id != Self.mainID && lanes[$0].lane.id != Self.othersID
            }
            guard let least = candidates.min(by: { lanes[$0].weight < lanes[$1].weight }) else {
                break
            }
            let merged = lanes.remove(at: least)
            if let others = lanes.firstIndex(where: { $0.lane.id == Self.othersID }) {
                lanes[others].take(merged)
            } else {
                var others = Self.others
                others.take(merged)
                lanes.append(others)
            }
        }
        return lanes.map(\.finished).sorted { ($0.order, $0.lane.id) < ($1.order, $1.lane.id) }
            .map(\.lane)
    }

    // MARK: Which lane

    private static let othersID = "threads-other"
    private static var others: Collected {
        Collected(
            lane: TimelineLane(id: othersID, name: "other threads", kind: .thread), order: 6)
    }

    /// A lane that is being filled.
    private struct Collected {
        var lane: TimelineLane
        /// Its place from the top.
        var order: Int
        var label: String?
        var threads: Set<UInt32> = []
        var merged: [String] = []

        var weight: Int { lane.spans.count + lane.dots.count }

        mutating func take(_ other: Collected) {
            lane.spans += other.lane.spans
            lane.dots += other.lane.dots
            threads.formUnion(other.threads)
            merged.append(other.lane.name)
        }

        /// The lane with a sentence on its contents, and its marks in order.
        var finished: Collected {
            var finished = self
            var sentences: [String] = []
            if let label, label != lane.name {
                sentences.append(lane.kind == .queue ? "Label \(label)." : "Named \(label).")
            }
            if lane.kind == .queue || threads.count > 1 {
                sentences.append("On \(HTMLText.counted(threads.count, "thread")).")
            }
            if lane.id == ThreadLanes.othersID {
                sentences.append("Threads without a name: an operation queue's, or the system's.")
            }
            if !merged.isEmpty {
                sentences.append("With " + merged.sorted().joined(separator: ", ") + ".")
            }
            finished.lane.detail = sentences.joined(separator: " ")
            finished.lane.spans.sort { ($0.start, -$0.end) < ($1.start, -$1.end) }
            finished.lane.dots.sort { $0.time < $1.time }
            return finished
        }
    }

    private func emptyLane(at place: RecordedHistory.Place) -> Collected {
        // A block that was submitted under a thread's name runs on that thread, not on a queue.
        if let label = place.queue, !Self.isMain(label), label != recording.threads[place.thread] {
            let (name, order) = Self.queueName(label)
            return Collected(
                lane: TimelineLane(id: "queue-" + label, name: name, kind: .queue), order: order,
                label: label)
        }
        if let name = ownName(of: place.thread) {
            let isMain = name == "main"
            return Collected(
                lane: TimelineLane(
                    id: isMain ? Self.mainID : "thread-" + name,
                    name: name == Self.networkThread ? "network thread" : name, kind: .thread),
                order: isMain ? 0 : 1, label: isMain ? nil : name)
        }
        if place.isInDelegateCall {
            return Collected(
                lane: TimelineLane(id: "queue-delegate", name: "delegate queue", kind: .queue),
                order: 2)
        }
        guard detail == .eachThread else { return Self.others }
        let number = order[place.thread] ?? 0
        return Collected(
            lane: TimelineLane(
                id: "thread-number-\(number)", name: "thread \(number)", kind: .thread),
            order: 6)
    }

    /// What the lane of a place is called.
    func name(of place: RecordedHistory.Place) -> String { emptyLane(at: place).lane.name }

    /// A name that was given to this thread: not "thread 7", which nobody gave, and not one that a
    /// queue's worker inherited from the thread that happened to start it.
    private func ownName(of thread: UInt32) -> String? {
        guard let name = recording.threads[thread], !name.isEmpty, name != recording.process,
            name != "thread \(thread)", name == "main" || !workers.contains(thread)
        else { return nil }
        return name
    }

    private static func isMain(_ label: String) -> Bool {
        label == "com.apple.main-thread" || label == "com.apple.main-queue" || label == "main"
    }

    /// What a reader calls a queue, and its place from the top.
    static func queueName(_ label: String) -> (name: String, order: Int) {
        if isMain(label) { return ("main", 0) }
        let label = label.lowercased()
        for (word, order) in [("delegate", 2), ("processing", 3), ("completion", 4)]
        where label.contains(word) {
            return (word + " queue", order)
        }
        // As Alamofire names it.
        if label.hasSuffix("session-manager") { return ("delegate queue", 2) }
        let last = label.split(separator: ".").last.map(String.init) ?? label
        return (last.contains("queue") ? last : last + " queue", 5)
    }

    // MARK: What is in it

    private var collected: [String: Collected] {
        var lanes: [String: Collected] = [:]
        func put(at place: RecordedHistory.Place, _ change: (inout TimelineLane) -> Void) {
            let empty = emptyLane(at: place)
            lanes[empty.lane.id, default: empty].threads.insert(place.thread)
            change(&lanes[empty.lane.id, default: empty].lane)
        }
        let moments = ThreadMoments(history: history, axis: axis)
        for recorded in history.spans {
            guard var span = moments.span(recorded) else { continue }
            put(at: recorded.place) { lane in
                // The lane is the block's queue, so the mark does not repeat its name.
                if span.kind == .block, lane.name == span.name { span.name = "" }
                lane.spans.append(span)
                if recorded.kind == .callback {
                    lane.dots.append(moments.dot(ofCallback: recorded))
                }
            }
        }
        var modes: [UInt32: String] = [:]
        for recorded in history.instants {
            // A run loop reports its mode in each pass; only a change is drawn.
            if recorded.kind == .runLoopMode,
                modes.updateValue(recorded.text, forKey: recorded.place.thread) == recorded.text
            {
                continue
            }
            guard let dot = moments.dot(recorded) else { continue }
            put(at: recorded.place) { $0.dots.append(dot) }
        }
        return lanes
    }
}
