import CurlConnection
import HTTPSemantics
import Scheduling

// What the gate does under its lock.

extension Admission {
    var pair: AdmissionGate.Pair {
        AdmissionGate.Pair(origin: origin, group: group, isLocal: isLocal)
    }
}

extension AdmissionGate.State {
    /// What keeps an operation from starting now.
    func hold(_ admission: Admission) -> AdmissionGate.Hold? {
        if isOffline, !admission.isLocal { return .offline }
        if let group = admission.group.flatMap({ groups[$0] }), !group.hasRoom {
            return group.isSuspended ? .groupSuspended : .groupLimit
        }
        let inUse = origins[admission.origin]?.inUse ?? 0
        return inUse < originLimit ?? .max ? nil : .originLimit
    }

    /// What is to be put into the queue; nil where somebody is about it already.
    mutating func takeHeld(_ admission: Admission) -> Admission.Held? {
        guard !admission.isEntering, let held = admission.held else { return nil }
        admission.isEntering = true
        return held
    }

    mutating func dropHeld(_ admission: Admission) -> Admission.Held? {
        held[admission.number] = nil
        defer { admission.held = nil }
        return admission.held
    }

    /// Whether it waits for what nobody will do.
    func isStuck(_ admission: Admission) -> Bool {
        isClosed && admission.state == .waiting
            && admission.group.flatMap { groups[$0]?.isSuspended } == true
    }

    /// - Returns: who gets a place instead.
    mutating func leave(_ admission: Admission) -> [Admission] {
        defer { admission.state = .left }
        switch admission.state {
        case .admitted, .begun:
            free(admission)
            return admitAll(from: pairs(sharing: admission.pair))
        case .waiting:
            admission.state = .left
            lines[admission.pair]?.noteLeaving(admission.priority)
            list(admission.pair, admission.priority)
            dropLine(admission.pair)
            return []
        case .notReady, .left, .refused:
            return []
        }
    }

    /// - Returns: who gets a place instead.
    mutating func withdraw(_ admission: Admission) -> [Admission] {
        guard admission.state == .waiting || admission.state == .admitted else { return [] }
        let next = leave(admission)
        admission.state = .notReady
        admission.round &+= 1
        return next
    }

    mutating func begin(_ admission: Admission) {
        switch admission.state {
        case .left, .begun: return
        case .admitted: break
        case .waiting:
            _ = leave(admission)
            admit(admission)
        case .notReady, .refused: admit(admission)
        }
        admission.state = .begun
    }

    /// Those that wait in a suspended group are refused.
    mutating func refuseSuspended() -> [Admission] {
        var all: [Admission] = []
        for pair in Array(lines.keys) where pair.group.flatMap({ groups[$0]?.isSuspended }) == true
        {
            for priority in TransferPriority.allCases {
                while let first = lines[pair]?.first(of: priority)?.admission {
                    _ = leave(first)
                    first.state = .refused
                    all.append(first)
                }
            }
        }
        return all
    }

    mutating func change(_ group: String, _ change: (inout AdmissionGate.Lane) -> Void) {
        change(&groups[group, default: AdmissionGate.Lane()])
        if groups[group]?.isPlain == true { groups[group] = nil }
    }

    /// Asks for a place, once.
    mutating func ask(_ admission: Admission) {
        guard admission.state == .notReady else { return }
        admission.since = clock.nanoseconds
        if lines[admission.pair] == nil, hold(admission) == nil {
            admit(admission)
        } else {
            wait(admission)
        }
    }

    mutating func admit(_ admission: Admission) {
        admission.state = .admitted
        admission.since = clock.nanoseconds
        origins[admission.origin, default: AdmissionGate.Lane()].inUse += 1
        if let group = admission.group { change(group) { $0.inUse += 1 } }
    }

    mutating func free(_ admission: Admission) {
        let now = clock.nanoseconds
        let time = now > admission.since ? now - admission.since : 0
        let free: (inout AdmissionGate.Lane) -> Void = { lane in
            lane.inUse -= 1
            lane.note(timeInUse: time)
        }
        changeOrigin(admission.origin, free)
        if let group = admission.group { change(group, free) }
    }

    private mutating func changeOrigin(
        _ origin: String, _ change: (inout AdmissionGate.Lane) -> Void
    ) {
        change(&origins[origin, default: AdmissionGate.Lane()])
        if origins[origin]?.isPlain == true { origins[origin] = nil }
    }

    mutating func wait(_ admission: Admission) {
        admission.state = .waiting
        let pair = admission.pair
        if lines[pair] == nil {
            lines[pair] = PriorityLine(since: \.admission.since, hasLeft: \.hasLeft)
            changeOrigin(pair.origin) { $0.pairs.insert(pair) }
            if let group = pair.group { change(group) { $0.pairs.insert(pair) } }
        }
        lines[pair]?.append(
            AdmissionGate.Waiting(admission: admission, round: admission.round),
            admission.priority)
        list(pair, admission.priority)
    }

    /// Forgets a line in which nobody waits.
    mutating func dropLine(_ pair: AdmissionGate.Pair) {
        guard lines[pair]?.isEmpty == true else { return }
        lines[pair] = nil
        changeOrigin(pair.origin) { $0.pairs.remove(pair) }
        if let group = pair.group { change(group) { $0.pairs.remove(pair) } }
    }

    /// Writes down with the group who is first in each class of a pair.
    mutating func list(_ pair: AdmissionGate.Pair) {
        for priority in TransferPriority.allCases { list(pair, priority) }
    }

    private mutating func list(_ pair: AdmissionGate.Pair, _ priority: TransferPriority) {
        guard let group = pair.group else { return }
        let turn = lines[pair]?.first(of: priority).map { AdmissionGate.Turn($0.admission) }
        change(group) { $0.list(pair, priority, turn) }
    }

    /// Those of the pairs that may go on when a place of a pair is free that could be next.
    mutating func pairs(sharing pair: AdmissionGate.Pair) -> Set<AdmissionGate.Pair> {
        var pairs = origins[pair.origin]?.pairs ?? []
        // Their groups may have taken them out while the origin was full.
        for pair in pairs { list(pair) }
        guard let group = pair.group, groups[group]?.hasRoom == true else { return pairs }
        for priority in TransferPriority.allCases {
            if let first = firstOpen(of: group, priority) { pairs.insert(first) }
        }
        return pairs
    }

    /// The pair of a group whose first of a class is the oldest that an origin has room for.
    private mutating func firstOpen(
        of group: String, _ priority: TransferPriority
    ) -> AdmissionGate.Pair? {
        while let (pair, turn) = groups[group]?.first(of: priority) {
            looks += 1
            if hold(turn.admission) == nil { return pair }
            // It is listed again when its origin has room.
            change(group) { $0.list(pair, priority, nil) }
        }
        return nil
    }

    /// Admits whom it can of some pairs, the highest first, then the oldest.
    mutating func admitAll(from pairs: Set<AdmissionGate.Pair>) -> [Admission] {
        var admitted: [Admission] = []
        var turns = KeyedHeap<AdmissionGate.Pair, AdmissionGate.Turn>()
        let now = clock.nanoseconds
        for pair in pairs {
            if let turn = turn(of: pair, at: now) { turns.set(pair, turn) }
        }
        while let (pair, turn) = turns.removeFirst() {
            // A lane that has become full stays so.
            guard hold(turn.admission) == nil else { continue }
            lines[pair]?.removeFirst(turn.admission.priority)
            list(pair, turn.admission.priority)
            admit(turn.admission)
            dropLine(pair)
            admitted.append(turn.admission)
            if let next = self.turn(of: pair, at: now) { turns.set(pair, next) }
        }
        return admitted
    }

    /// How long who is not let in now may have to wait until it starts: the next place may be a while in use
    /// yet, and those whose end is on its way come first. At most the time for a class.
    private func delay(_ pair: AdmissionGate.Pair) -> UInt64 {
        let origin = origins[pair.origin]?.timeInUse ?? 0
        let group = pair.group.flatMap { groups[$0]?.timeInUse } ?? 0
        return min(ageing, 2 * min(ageing, max(origin, group)))
    }

    /// That of the first of a pair; nil where something holds it.
    private mutating func turn(
        of pair: AdmissionGate.Pair, at now: UInt64
    ) -> AdmissionGate.Turn? {
        looks += 1
        // An age is that at the start.
        let start = now + delay(pair)
        guard let head = lines[pair]?.first(at: { start }, ageing: ageing)?.admission,
            hold(head) == nil
        else { return nil }
        let risen = ageing > 0 && start > head.since ? (start - head.since) / ageing : 0
        return AdmissionGate.Turn(head, rank: head.priority.rank(risen: risen))
    }
}
