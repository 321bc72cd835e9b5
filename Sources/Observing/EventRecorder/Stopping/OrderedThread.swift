/// A thread that takes part in an order.
struct OrderedThread {
    enum State {
        /// It runs, and has not reached its next step.
        case running
        case waiting(Turn)
        /// In its run loop, from which a job or a socket can wake it.
        case asleep
        case ended
    }

    /// A step at which a thread waits until it is chosen.
    struct Turn {
        let line: String
        /// The lock that it is about to take, which another thread of the order holds.
        var lock: UInt64?
        /// Whether its run loop has just woken, before the next site.
        var isWakeUp = false
    }

    /// A block that was submitted to the thread's run loop and has not begun.
    struct Job {
        let submitter: String
        /// Whether the submitting thread has reached another step since, and so has woken the run
        /// loop.
        var isDue = false
    }

    var state: State
    /// Whether it existed before the order, and need not end with it.
    let isOther: Bool
    /// Whether it continued after its run loop woke, and has reached no site since.
    var hasWoken = false
    var jobs: [UInt64: Job] = [:]

    var turn: Turn? { if case .waiting(let turn) = state { turn } else { nil } }

    var isRunning: Bool { if case .running = state { true } else { false } }

    var isAsleep: Bool { if case .asleep = state { true } else { false } }

    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Whether its run loop has been woken for all its jobs, so that it will reach a step.
    var isWoken: Bool { !jobs.isEmpty && jobs.values.allSatisfy(\.isDue) }
}

/// Which threads of an order hold which locks, by the recorded events.
struct OrderLocks {
    private var holders: [UInt64: (thread: String, depth: Int)] = [:]
    /// Threads that wait for a lock of a thread outside the order.
    private var silent: Set<String> = []

    func isTaken(_ lock: UInt64?, for thread: String) -> Bool {
        guard let lock, let holder = holders[lock] else { return false }
        return holder.thread != thread
    }

    func hasAnyLock(_ thread: String) -> Bool { holders.values.contains { $0.thread == thread } }

    mutating func waitsForOutside(_ thread: String) { silent.insert(thread) }

    /// - Returns: whether the thread waited for a thread of the order.
    mutating func hasWaited(_ thread: String, for lock: UInt64) -> Bool {
        holders[lock] = (thread, 0)
        return silent.remove(thread) == nil
    }

    mutating func take(_ lock: UInt64, _ thread: String) {
        holders[lock] = (thread, (holders[lock]?.depth ?? 0) + 1)
    }

    mutating func unlock(_ lock: UInt64) {
        guard let holder = holders[lock] else { return }
        holders[lock] = holder.depth > 1 ? (holder.thread, holder.depth - 1) : nil
    }
}

/// A sequence determined by the seed (SplitMix64).
struct OrderNumbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Chooses which thread of an order continues.
struct OrderChoice {
    private var numbers = OrderNumbers(0)
    /// Steps still to be passed, where a list is replayed.
    private var list: [String]?

    init(_ source: StopOrder.Source) {
        switch source {
        case .seed(let seed): numbers = OrderNumbers(seed)
        case .list(let list): self.list = list
        }
    }

    mutating func passed(_ line: String) {
        if list?.first == line { list?.removeFirst() }
    }

    /// - Returns: the name of a waiting thread; nil where none can continue.
    mutating func next(_ threads: [String: OrderedThread], _ locks: OrderLocks) -> String? {
        let able = threads.filter { name, thread in
            thread.turn.map { !locks.isTaken($0.lock, for: name) } ?? false
        }
        if let list, !list.isEmpty { return next(of: list, able) }
        // Threads woken from outside the order, such as by a socket, continue first: how often that
        // happens must not influence the seed's choices.
        let woken = able.filter { $0.value.turn?.isWakeUp == true && $0.value.jobs.isEmpty }
        if let first = woken.keys.min() { return first }
        let names = able.filter { $0.value.turn?.isWakeUp != true || $0.value.isWoken }.keys
            .sorted()
        guard !names.isEmpty else { return nil }
        return names[Int(numbers.next() % UInt64(names.count))]
    }

    /// The thread of the list's next step; else a waiting one whose step is not in the list, but no
    /// existing thread that the rest of the list does not name.
    private func next(of list: [String], _ able: [String: OrderedThread]) -> String? {
        if let next = able.first(where: { $0.value.turn?.line == list.first }) { return next.key }
        let passing = able.filter { name, thread in
            guard let turn = thread.turn, !list.contains(turn.line) else { return false }
            return !thread.isOther || list.contains { $0.hasPrefix("\(name): ") }
        }
        return passing.keys.min()
    }
}
