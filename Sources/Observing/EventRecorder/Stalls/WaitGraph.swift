import Foundation

/// What waits for what at one moment, by the recorded events.
///
/// A thread waits for a lock, a lock for the thread that holds it, a queue for the thread that runs
/// one of its blocks. A thread that sleeps inside a caller's block, or outside of its run loop's
/// sleep, waits for something that is not recorded; there the chain ends.
struct WaitGraph {
    private enum Node: Hashable {
        case thread(UInt32)
        case lock(UInt64)
        case queue(String)
    }

    private struct Wait {
        let next: Node?
        let since: UInt64
    }

    private let state: WaitState
    private let now: UInt64
    private let limit: UInt64
    private var waits: [Node: Wait] = [:]
    /// The beginnings of chains to report, because their first wait is longer than the limit.
    private var roots: [Node] = []
    /// Possible members of a cycle, which is reported at once.
    private var suspects: [Node] = []

    /// - Parameter kernelState: called for threads whose last event is older than the limit, unless
    ///   they wait for a lock or sleep in their run loop.
    init(
        _ state: WaitState, at now: UInt64, limit: UInt64,
        _ kernelState: (UInt32) -> KernelState = KernelState.init
    ) {
        self.state = state
        self.now = now
        self.limit = limit
        for (number, thread) in state.threads { look(at: thread, number, kernelState) }
        for (lock, holder) in state.holders
        where waits.values.contains(where: { $0.next == .lock(lock) }) {
            waits[.lock(lock)] = Wait(next: .thread(holder.thread), since: holder.since)
        }
        lookAtQueues()
    }

    private mutating func look(
        at thread: WaitState.Thread, _ number: UInt32, _ kernelState: (UInt32) -> KernelState
    ) {
        if let wanted = thread.wanted {
            waits[.thread(number)] = Wait(next: .lock(wanted.lock), since: wanted.since)
            if isLate(wanted.since) { roots.append(.thread(number)) }
            suspects.append(.thread(number))
            return
        }
        guard !thread.isAsleep, isLate(thread.last.time), kernelState(number) == .asleep else {
            return
        }
        // An idle thread of a pool is inside no span.
        guard thread.hasRunLoop || !thread.spans.isEmpty || holdsLock(number) else { return }
        waits[.thread(number)] = Wait(next: nil, since: thread.last.time)
        if thread.hasRunLoop || thread.isInsideBlock { roots.append(.thread(number)) }
    }

    private func holdsLock(_ thread: UInt32) -> Bool {
        state.holders.values.contains { $0.thread == thread }
    }

    /// Finds queues with a block that has waited too long, and the thread that runs another block
    /// of theirs.
    private mutating func lookAtQueues() {
        var oldest: [String: UInt64] = [:]
        for block in state.blocks.values {
            oldest[block.queue] = min(oldest[block.queue] ?? .max, block.since)
        }
        for (queue, since) in oldest where isLate(since) {
            let runner = waits.keys.first { node in
                guard case .thread(let number) = node, let thread = state.threads[number] else {
                    return false
                }
                return thread.name == queue && thread.hasRunLoop
                    || thread.spans.contains { $0.kind == .queueRun && $0.text.string == queue }
            }
            // A block that is delayed on purpose, such as a retry, has no runner. On the main queue
            // blocks are never delayed on purpose.
            guard runner != nil || queue == DispatchQueue.main.label else { continue }
            waits[.queue(queue)] = Wait(next: runner, since: since)
            roots.append(.queue(queue))
        }
    }

    private func isLate(_ since: UInt64) -> Bool { now > since && now - since >= limit }

    // MARK: Stalls

    /// The cycles, and the chains of waits longer than the limit; each once.
    var stalls: [Stall] {
        var found: [Set<Node>] = []
        var stalls: [Stall] = []
        // Longer chains first, because they contain the shorter ones.
        let chains = roots.map(chain(from:)) + suspects.map(chain(from:)).filter(\.isCycle)
        for chain in chains.sorted(by: { $0.nodes.count > $1.nodes.count }) {
            let nodes = Set(chain.nodes)
            guard !found.contains(where: { nodes.isSubset(of: $0) }) else { continue }
            found.append(nodes)
            stalls.append(Stall(members: chain.nodes.map(member), isCycle: chain.isCycle))
        }
        return stalls
    }

    /// Follows the waits; of a cycle only its members.
    private func chain(from root: Node) -> (nodes: [Node], isCycle: Bool) {
        var nodes: [Node] = []
        var next: Node? = root
        while let node = next {
            if let index = nodes.firstIndex(of: node) { return (Array(nodes[index...]), true) }
            nodes.append(node)
            next = waits[node]?.next
        }
        return (nodes, false)
    }

    private func member(_ node: Node) -> Stall.Member {
        let wait = waits[node]
        let seconds = Double(now &- (wait?.since ?? now)) / 1e9
        let next = wait?.next.map(name)
        switch node {
        case .thread(let number):
            return Stall.Member(
                kind: .thread, name: bareName(node), waitsFor: next, seconds: seconds,
                place: state.threads[number].map(state.place) ?? "")
        case .lock:
            return Stall.Member(
                kind: .lock, name: bareName(node), waitsFor: next, seconds: seconds, place: "held")
        case .queue(let label):
            let count = state.blocks.values.count { $0.queue == label }
            return Stall.Member(
                kind: .queue, name: label, waitsFor: next, seconds: seconds,
                place: "with \(count) blocks behind")
        }
    }

    private func name(_ node: Node) -> String {
        switch node {
        case .thread: Stall.Member.title(.thread, bareName(node))
        case .lock: Stall.Member.title(.lock, bareName(node))
        case .queue: Stall.Member.title(.queue, bareName(node))
        }
    }

    private func bareName(_ node: Node) -> String {
        switch node {
        case .thread(let number): state.threads[number]?.name ?? "thread \(number)"
        case .lock(let number): "of " + state.name(of: number)
        case .queue(let label): label
        }
    }
}

enum KernelState {
    /// Sleeps until something wakes it, or waits for a device.
    case asleep
    case running
    case gone

    init(of thread: UInt32) {
        // The name, in parentheses, may contain anything; the state follows the last parenthesis.
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/stat"),
            let end = bytes.lastIndex(of: UInt8(ascii: ")")), bytes.count > end + 2
        else {
            self = .gone
            return
        }
        self = [UInt8(ascii: "S"), UInt8(ascii: "D")].contains(bytes[end + 2]) ? .asleep : .running
    }
}
