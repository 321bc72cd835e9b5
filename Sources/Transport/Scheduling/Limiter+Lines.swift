// Who waits, and who is next.

extension Limiter {
    @inlinable func hasLine(_ needs: Needs) -> Bool {
        needs.first.lane.lines > 0 && isInLine(needs)
    }

    @inlinable func isInLine(_ needs: Needs) -> Bool { lines[LineKey(needs)] != nil }

    @inlinable mutating func wait(
        _ needs: Needs, _ priority: TransferPriority, _ waiter: Waiter?, at now: UInt64
    ) -> Slot {
        count += 1
        let slot = Slot(needs, priority, waiter, .waiting, since: now, number: count)
        let key = LineKey(needs)
        let line: Line
        if let known = lines[key] {
            line = known
        } else {
            line = Line(key, needs.lanes)
            lines[key] = line
            for lane in line.lanes { lane.lines += 1 }
        }
        slot.line = line
        line.waiting.append(slot, priority)
        if line.waiting.first(of: priority) === slot { settle(line, at: now) }
        return slot
    }

    @inlinable mutating func leaveLine(_ slot: Slot, at now: UInt64) -> [Slot] {
        guard let line = slot.line else { return [] }
        line.waiting.noteLeaving(slot.priority)
        slot.line = nil
        settle(line, at: now)
        // Those behind it may have other limits.
        return admit(line.place.map { [$0.lane] } ?? [], own: slot.needs, at: now)
    }

    @inlinable func note(_ slot: Slot, at now: UInt64) {
        let time = now > slot.since ? now - slot.since : 0
        slot.needs.forEach { if $0.weight > 0 { $0.lane.note(timeInUse: time) } }
    }

    @inlinable mutating func forgetUnused(_ needs: Needs) {
        if needs.first.lane.isUnused { forget(needs.first.lane) }
        if let lane = needs.second?.lane, lane.isUnused { forget(lane) }
        if let lane = needs.third?.lane, lane.isUnused { forget(lane) }
        if let lane = needs.fourth?.lane, lane.isUnused { forget(lane) }
    }

    @inlinable mutating func forget(_ lane: Lane) {
        guard !lane.isForgotten else { return }
        lane.isForgotten = true
        lanes[lane.key] = nil
    }

    @inlinable mutating func admit(afterUse needs: Needs, at now: UInt64) -> [Slot] {
        admit(needs.lanes, own: needs, at: now)
    }

    /// Gives slots to whom it can of those that wait for some keys.
    @inlinable mutating func admit(
        _ open: [Lane], own: Needs? = nil, at now: UInt64
    ) -> [Slot] {
        var admitted: [Slot] = []
        if order == .age, let own, let line = lines[LineKey(own)] {
            while let first = first(of: line, at: now), first.needs.blocker == nil {
                give(first, of: line, at: now)
                admitted.append(first)
            }
            settle(line, at: now)
        }
        var turns = KeyedHeap<ObjectIdentifier, Turn>()
        var lanes: [ObjectIdentifier: Lane] = [:]
        for lane in open {
            guard let next = next(at: lane, at: now) else { continue }
            lanes[ObjectIdentifier(lane)] = lane
            turns.set(ObjectIdentifier(lane), next.turn)
        }
        while let (id, turn) = turns.first, let lane = lanes[id] {
            // Others may have taken its room.
            guard let next = next(at: lane, at: now) else {
                turns.remove(id)
                continue
            }
            turns.set(id, next.turn)
            guard next.turn == turn else { continue }
            give(next.slot, of: next.line, at: now)
            settle(next.line, at: now)
            admitted.append(next.slot)
        }
        for lane in open where lane.isUnused { forget(lane) }
        return admitted
    }

    /// The best of those that wait for a key and can go; those that wait for another meanwhile are listed there.
    @inlinable mutating func next(
        at lane: Lane, at now: UInt64
    ) -> (line: Line, slot: Slot, turn: Turn)? {
        var best: (line: Line, slot: Slot, turn: Turn)?
        if lane.listed.isEmpty || lane.isSuspended { return nil }
        for atMost in lane.listed.keys.filter({ lane.hasRoom(1, atMost: $0) }) {
            for index in lane.listed[atMost]?.indices ?? 0..<0 {
                guard let found = next(at: lane, atMost, index, at: now) else { continue }
                if let best, best.turn < found.turn { continue }
                best = found
            }
        }
        return best
    }

    @inlinable mutating func next(
        at lane: Lane, _ atMost: Int, _ index: Int, at now: UInt64
    ) -> (line: Line, slot: Slot, turn: Turn)? {
        while let (line, listed) = lane.listed[atMost]?[index].first {
            looks += 1
            guard let slot = first(of: line, at: now) else { return nil }
            if let blocker = slot.needs.blocker {
                if blocker.lane === lane, blocker.atMost == atMost { return nil }
                list(line, with: blocker, at: now)
                continue
            }
            if order == .rank { return (line, slot, turn(of: slot, line, at: now)) }
            if listed.number == slot.number || isAlone(line, at: lane) {
                return (line, slot, Turn(number: slot.number))
            }
            // Another has risen to its head.
            list(line, with: Need(lane, atMost: atMost), at: now)
        }
        return nil
    }

    @inlinable mutating func give(_ slot: Slot, of line: Line, at now: UInt64) {
        line.waiting.removeFirst(slot.priority)
        slot.state = .held
        slot.line = nil
        slot.since = now
        slot.needs.forEach { $0.lane.inUse += $0.weight }
    }

    /// Lists a line where it waits now, or forgets it where nobody waits. One that could go stays where it is.
    @inlinable mutating func settle(_ line: Line, at now: UInt64) {
        guard let first = first(of: line, at: now) else {
            unlist(line)
            guard lines.removeValue(forKey: line.key) != nil else { return }
            for lane in line.lanes {
                lane.lines -= 1
                if lane.isUnused { forget(lane) }
            }
            return
        }
        let need = first.needs.blocker ?? line.place.flatMap { first.needs.need(of: $0.lane) }
        list(line, with: need ?? first.needs.first, at: now)
    }

    @inlinable func list(_ line: Line, with need: Need, at now: UInt64) {
        let (lane, atMost) = (need.lane, need.atMost)
        if let place = line.place {
            let isThere = place.lane === lane && place.atMost == atMost
            if isThere, isAlone(line, at: lane) { return }
            if !isThere { unlist(line) }
        }
        line.place = (lane, atMost)
        if order == .age {
            guard let first = first(of: line, at: now) else { return }
            lane.listed[atMost, default: [KeyedHeap()]][0].set(line, Turn(number: first.number))
            return
        }
        if lane.listed[atMost] == nil {
            lane.listed[atMost] = TransferPriority.allCases.map { _ in KeyedHeap() }
        }
        for priority in TransferPriority.allCases {
            if let first = line.waiting.first(of: priority) {
                let turn = Turn(since: first.since, number: first.number)
                lane.listed[atMost]?[priority.rawValue].set(line, turn)
            } else {
                lane.listed[atMost]?[priority.rawValue].remove(line)
            }
        }
    }

    /// Whether its turn is compared with nobody's there, so that it need not be listed by it.
    @inlinable func isAlone(_ line: Line, at lane: Lane) -> Bool {
        order == .age && lane.lines == 1 && line.lanes[0] === lane
    }

    @inlinable func unlist(_ line: Line) {
        guard let (lane, atMost) = line.place else { return }
        line.place = nil
        for index in lane.listed[atMost]?.indices ?? 0..<0 {
            lane.listed[atMost]?[index].remove(line)
        }
        if lane.listed[atMost]?.allSatisfy({ $0.first == nil }) == true {
            lane.listed[atMost] = nil
        }
    }

    // MARK: Age

    /// How long who is not let in now may have to wait until it starts: the next slot may be a while in use
    /// yet, and those whose end is on its way come first. At most the time for a class.
    @inlinable func delay(_ line: Line) -> UInt64 {
        guard measuresUse else { return 0 }
        let time = line.lanes.reduce(0) { max($0, $1.timeInUse) }
        return min(ageing, 2 * min(ageing, time))
    }

    @inlinable func first(of line: Line, at now: UInt64) -> Slot? {
        line.waiting.first(at: { now + delay(line) }, ageing: ageing)
    }

    @inlinable func turn(of slot: Slot, _ line: Line, at now: UInt64) -> Turn {
        let start = now + delay(line)
        let risen = ageing > 0 && start > slot.since ? (start - slot.since) / ageing : 0
        return Turn(
            rank: slot.priority.rank(risen: risen), since: slot.since, number: slot.number)
    }
}
