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

    /// The thread of the list's next step; else a waiting one whose step is not in the list.
    private func next(of list: [String], _ able: [String: OrderedThread]) -> String? {
        if let next = able.first(where: { $0.value.turn?.line == list.first }) { return next.key }
        let passing = able.filter { name, thread in
            guard let turn = thread.turn, !list.contains(turn.line) else { return false }
            return !thread.isOther || list.contains { $0.hasPrefix("\(name): ") }
        }
        return passing.keys.min()
    }
}
