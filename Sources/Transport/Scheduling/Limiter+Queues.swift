// The queues of waiting slots, and which is granted next.

extension Limiter {
    @inlinable func hasQueue(_ needs: Needs) -> Bool {
        needs.first.resource.queues > 0 && queues[QueueKey(needs)] != nil
    }

    @inlinable mutating func wait(
        _ needs: Needs, _ priority: TransferPriority, _ waiter: Waiter?, at now: UInt64
    ) -> Slot {
        count += 1
        let slot = Slot(needs, priority, waiter, .waiting, since: now, number: count)
        let key = QueueKey(needs)
        let queue: Queue
        if let known = queues[key] {
            queue = known
        } else {
            queue = Queue(key, needs.resources, isNewestFirst: order == .newest)
            queues[key] = queue
            for resource in queue.resources { resource.queues += 1 }
        }
        slot.queue = queue
        queue.waiting.append(slot, priority)
        if queue.waiting.first(of: priority) === slot { update(queue, at: now) }
        return slot
    }

    @inlinable mutating func leaveQueue(_ slot: Slot, at now: UInt64) -> [Slot] {
        guard let queue = slot.queue else { return [] }
        queue.waiting.noteLeaving(slot.priority)
        slot.queue = nil
        update(queue, at: now)
        // The new head may have a wider limit of its own.
        let resource = queue.blocker?.resource
        return grantSlots(of: resource.map { [$0] } ?? [], after: slot.needs, at: now)
    }

    @inlinable func noteUse(of slot: Slot, at now: UInt64) {
        let time = now > slot.since ? now - slot.since : 0
        slot.needs.forEach { if $0.weight > 0 { $0.resource.note(timeInUse: time) } }
    }

    @inlinable mutating func forgetUnused(_ needs: Needs) {
        needs.forEach { if $0.resource.isUnused { forget($0.resource) } }
    }

    @inlinable mutating func forget(_ resource: Resource) {
        guard !resource.isForgotten else { return }
        resource.isForgotten = true
        resources[resource.key] = nil
    }

    /// Grants the slots that are possible after a change of some resources.
    ///
    /// - Parameter old: the needs of the slot that was given back.
    @inlinable mutating func grantSlots(
        of changed: [Resource], after old: Needs? = nil, at now: UInt64
    ) -> [Slot] {
        var granted: [Slot] = []
        if order == .age, let old, let queue = queues[QueueKey(old)] {
            while let head = head(of: queue, at: now), head.needs.blocker == nil {
                grant(head, of: queue, at: now)
                granted.append(head)
            }
            update(queue, at: now)
        }
        var candidates = KeyedHeap<Resource, Precedence>()
        for resource in changed {
            guard let next = next(blockedBy: resource, at: now) else { continue }
            candidates.set(resource, next.precedence)
        }
        while let (resource, precedence) = candidates.first {
            // The last grant may have used up the resource, or another that this head needs.
            guard let next = next(blockedBy: resource, at: now) else {
                candidates.remove(resource)
                continue
            }
            candidates.set(resource, next.precedence)
            guard next.precedence == precedence else { continue }
            grant(next.slot, of: next.queue, at: now)
            update(next.queue, at: now)
            granted.append(next.slot)
        }
        for resource in changed where resource.isUnused { forget(resource) }
        return granted
    }

    /// Of the queues that a resource blocked, the next whose head can be granted. Queues that another resource
    /// blocks now are registered there.
    @inlinable mutating func next(
        blockedBy resource: Resource, at now: UInt64
    ) -> (queue: Queue, slot: Slot, precedence: Precedence)? {
        var best: (queue: Queue, slot: Slot, precedence: Precedence)?
        if resource.blocked.isEmpty || resource.isSuspended { return nil }
        let isPossible = { $0 == Need.weightless || resource.hasCapacity(1, atMost: $0) }
        for atMost in resource.blocked.keys.filter(isPossible) {
            for index in resource.blocked[atMost]?.indices ?? 0..<0 {
                guard let found = next(blockedBy: resource, atMost, index, at: now) else {
                    continue
                }
                if let best, best.precedence < found.precedence { continue }
                best = found
            }
        }
        return best
    }

    @inlinable mutating func next(
        blockedBy resource: Resource, _ atMost: Int, _ index: Int, at now: UInt64
    ) -> (queue: Queue, slot: Slot, precedence: Precedence)? {
        while let (queue, known) = resource.blocked[atMost]?[index].first {
            looks += 1
            guard let head = head(of: queue, at: now) else { return nil }
            if let blocker = head.needs.blocker {
                if blocker.resource === resource, blocker.atMost == atMost { return nil }
                block(queue, by: blocker, at: now)
                continue
            }
            if order == .rank { return (queue, head, rankedPrecedence(of: head, queue, at: now)) }
            let precedence = precedence(ofHead: head)
            if known == precedence || isOnlyQueue(queue, of: resource) {
                return (queue, head, precedence)
            }
            // By its age another slot has become the head.
            block(queue, by: Need(resource, atMost: atMost), at: now)
        }
        return nil
    }

    @inlinable mutating func grant(_ slot: Slot, of queue: Queue, at now: UInt64) {
        queue.waiting.removeFirst(slot.priority)
        slot.state = .held
        slot.queue = nil
        slot.since = now
        slot.needs.forEach { $0.resource.inUse += $0.weight }
    }

    /// After a change of its head: registers the queue with the resource that blocks it now, or removes an empty
    /// one. A queue whose head could be granted stays where it is, and is granted with the next slot there.
    @inlinable mutating func update(_ queue: Queue, at now: UInt64) {
        guard let head = head(of: queue, at: now) else {
            unblock(queue)
            guard queues.removeValue(forKey: queue.key) != nil else { return }
            for resource in queue.resources {
                resource.queues -= 1
                if resource.isUnused { forget(resource) }
            }
            return
        }
        let need =
            head.needs.blocker ?? queue.blocker.flatMap { head.needs.need(of: $0.resource) }
        block(queue, by: need ?? head.needs.first, at: now)
    }

    @inlinable func block(_ queue: Queue, by need: Need, at now: UInt64) {
        let (resource, atMost) = (need.resource, need.atMost)
        if let blocker = queue.blocker {
            let isSame = blocker.resource === resource && blocker.atMost == atMost
            if isSame, isOnlyQueue(queue, of: resource) { return }
            if !isSame { unblock(queue) }
        }
        queue.blocker = (resource, atMost)
        if order != .rank {
            guard let head = head(of: queue, at: now) else { return }
            resource.blocked[atMost, default: [KeyedHeap()]][0].set(
                queue, precedence(ofHead: head))
            return
        }
        if resource.blocked[atMost] == nil {
            resource.blocked[atMost] = TransferPriority.allCases.map { _ in KeyedHeap() }
        }
        for priority in TransferPriority.allCases {
            if let first = queue.waiting.first(of: priority) {
                let precedence = Precedence(since: first.since, number: first.number)
                resource.blocked[atMost]?[priority.rawValue].set(queue, precedence)
            } else {
                resource.blocked[atMost]?[priority.rawValue].remove(queue)
            }
        }
    }

    /// Whether no other queue's precedence is compared with its own, so that it need not be kept up to date.
    @inlinable func isOnlyQueue(_ queue: Queue, of resource: Resource) -> Bool {
        order == .age && resource.queues == 1 && queue.resources[0] === resource
    }

    @inlinable func unblock(_ queue: Queue) {
        guard let (resource, atMost) = queue.blocker else { return }
        queue.blocker = nil
        for index in resource.blocked[atMost]?.indices ?? 0..<0 {
            resource.blocked[atMost]?[index].remove(queue)
        }
        if resource.blocked[atMost]?.allSatisfy({ $0.first == nil }) == true {
            resource.blocked[atMost] = nil
        }
    }

    // MARK: Age

    /// How much longer one that gets no slot now may wait: the next slot may be in use for a while. At most
    /// `ageing`.
    @inlinable func delay(_ queue: Queue) -> UInt64 {
        guard measuresUse else { return 0 }
        let time = queue.resources.reduce(0) { max($0, $1.timeInUse) }
        return min(ageing, 2 * min(ageing, time))
    }

    @inlinable func head(of queue: Queue, at now: UInt64) -> Slot? {
        queue.waiting.first(at: { now + delay(queue) }, ageing: ageing)
    }

    @inlinable func precedence(ofHead head: Slot) -> Precedence {
        Precedence(number: order == .newest ? -head.number : head.number)
    }

    @inlinable func rankedPrecedence(of slot: Slot, _ queue: Queue, at now: UInt64) -> Precedence {
        let start = now + delay(queue)
        let risen = ageing > 0 && start > slot.since ? (start - slot.since) / ageing : 0
        return Precedence(
            rank: slot.priority.rank(risen: risen), since: slot.since, number: slot.number)
    }
}
