/// Limits how much of each resource is in use. A caller asks for a slot of one to four resources, and gets all of them
/// at once or waits for all. Slots that wait for the same resources are in one queue, by priority and age.
///
/// A queue is registered with the one resource that blocks its head. So giving a slot back costs the logarithm of the
/// number of queues, however many slots wait for something else.
///
/// ## Concurrency
/// A value without a lock; its owner guards it. It never calls the waiters: each change returns the slots that it
/// granted.
///
/// All of it is public and inlinable, in a module that is no product, so that the compiler specializes it for the
/// caller's keys and waiters. Unspecialized code takes three to seven times as long.
public struct Limiter<Key: Hashable, Waiter> {
    // Exclusivity is unchecked in the classes for speed: nothing is called while a property is being changed.

    /// Which of several slots that could be granted is granted first.
    public enum Order {
        /// The head of the highest priority after ageing, then the one that has waited longest.
        case rank
        /// The head of the queue of the slot that was given back, then the head that has waited longest.
        case age
        /// The latest head; in a queue, the latest of a priority is first.
        case newest
    }

    /// Something with a limit, and how much of it is in use.
    public final class Resource: Hashable {
        /// The limiter finds it by this.
        public let key: Key
        /// Whether its owner keeps it, and the limiter does not find it.
        @usableFromInline let isKept: Bool
        /// Whether no slot of it is granted.
        @exclusivity(unchecked) public var isSuspended = false
        /// A limit that was set for this resource.
        @exclusivity(unchecked) public var limit: Int?
        @exclusivity(unchecked) @usableFromInline var defaultLimit: Int
        /// A slot's own limit counts as at least this.
        @exclusivity(unchecked) public var minimum: Int
        /// How much of it is in use.
        @exclusivity(unchecked) public var inUse = 0
        /// How many queues need it.
        @exclusivity(unchecked) @usableFromInline var queues = 0
        /// Whether the limiter has removed it, because it was unused.
        @exclusivity(unchecked) public var isForgotten = false
        /// A moving average of how long a slot is held, in nanoseconds; 0 where that is not measured.
        @exclusivity(unchecked) @usableFromInline var timeInUse: UInt64 = 0
        /// The queues whose head it blocks, by the head's own limit. With `Order.rank` there is a heap for each
        /// priority, by its first slot; else one heap, by the head.
        @exclusivity(unchecked) @usableFromInline var blocked:
            [Int: [KeyedHeap<Queue, Precedence>]] = [:]

        @inlinable init(_ key: Key, isKept: Bool, minimum: Int, defaultLimit: Int) {
            (self.key, self.isKept, self.defaultLimit) = (key, isKept, defaultLimit)
            self.minimum = minimum
        }

        /// Whether both are one object.
        @inlinable public static func == (one: Resource, other: Resource) -> Bool { one === other }

        /// Hashes the identity.
        @inlinable public func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }

        @inlinable var isUnused: Bool {
            inUse == 0 && queues == 0 && !isKept && limit == nil && !isSuspended
        }

        /// A weight above the limit is granted while nothing is in use.
        @inlinable func hasCapacity(_ weight: Int, atMost: Int) -> Bool {
            !isSuspended
                && (inUse == 0 || weight == 0
                    || inUse + weight <= min(limit ?? defaultLimit, max(atMost, minimum)))
        }

        @inlinable func note(timeInUse time: UInt64) {
            timeInUse = timeInUse == 0 ? time : timeInUse - timeInUse / 8 + time / 8
        }
    }

    /// How much a slot needs of a resource.
    public struct Need {
        @usableFromInline let resource: Resource
        @usableFromInline let atMost: Int
        @usableFromInline let weight: Int

        /// The `atMost` of what uses nothing: it has heaps of its own, since no limit blocks it.
        @inlinable static var weightless: Int { -1 }

        /// - Parameters:
        ///   - atMost: the slot's own limit, beside that of the resource.
        ///   - weight: how much is used; 0 waits only while the resource is suspended.
        @inlinable public init(_ resource: Resource, atMost: Int = .max, weight: Int = 1) {
            (self.resource, self.weight) = (resource, weight)
            self.atMost = weight == 0 ? Self.weightless : atMost
        }

        @inlinable var hasCapacity: Bool { resource.hasCapacity(weight, atMost: atMost) }
    }

    /// One to four needs, without the memory of an array.
    public struct Needs {
        @usableFromInline let first: Need
        @usableFromInline let second: Need?
        @usableFromInline let third: Need?
        @usableFromInline let fourth: Need?

        /// All after one that is nil must be nil.
        @inlinable public init(
            _ first: Need, _ second: Need? = nil, _ third: Need? = nil, _ fourth: Need? = nil
        ) {
            (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
        }

        /// The first need that cannot be met now.
        @inlinable var blocker: Need? {
            if !first.hasCapacity { return first }
            if let second, !second.hasCapacity { return second }
            if let third, !third.hasCapacity { return third }
            if let fourth, !fourth.hasCapacity { return fourth }
            return nil
        }

        @inlinable func forEach(_ body: (Need) -> Void) {
            body(first)
            if let second { body(second) }
            if let third { body(third) }
            if let fourth { body(fourth) }
        }

        @inlinable func need(of resource: Resource) -> Need? {
            if first.resource === resource { return first }
            if second?.resource === resource { return second }
            return third?.resource === resource ? third : fourth
        }

        @inlinable var resources: [Resource] {
            guard let second else { return [first.resource] }
            guard let third else { return [first.resource, second.resource] }
            guard let fourth else { return [first.resource, second.resource, third.resource] }
            return [first.resource, second.resource, third.resource, fourth.resource]
        }
    }

    /// A permission to use some resources, or the wait for it.
    public final class Slot {
        /// `left`: it was given back, or stopped waiting.
        public enum State {
            case waiting, held, left
        }

        /// The priority with which it waits.
        public let priority: TransferPriority
        @usableFromInline let needs: Needs
        @usableFromInline let number: Int
        /// When it began to wait, or, where use is measured, when it was granted.
        @exclusivity(unchecked) public var since: UInt64
        /// Whether it waits, is held, or was given back.
        @exclusivity(unchecked) public var state: State
        /// The queue that it waits in, which the limiter retains.
        @exclusivity(unchecked) @usableFromInline unowned var queue: Queue?
        /// The caller's value; nil once the slot was given back.
        @exclusivity(unchecked) public var waiter: Waiter?

        @inlinable init(
            _ needs: Needs, _ priority: TransferPriority, _ waiter: Waiter?, _ state: State,
            since: UInt64, number: Int
        ) {
            (self.needs, self.priority, self.waiter, self.state) = (needs, priority, waiter, state)
            (self.since, self.number) = (since, number)
        }

        /// Whether it was granted, and not given back.
        @inlinable public var isHeld: Bool { state == .held }

        /// The first of the resources that it was asked for.
        @inlinable public var resource: Resource { needs.first.resource }
    }

    /// Why a slot waits.
    public enum Reason {
        case suspended(Key), limit(Key)
    }

    /// The less is granted first.
    @usableFromInline struct Precedence: Comparable {
        @usableFromInline let rank: Int
        @usableFromInline let since: UInt64
        @usableFromInline let number: Int

        @inlinable init(rank: Int = 0, since: UInt64 = 0, number: Int) {
            (self.rank, self.since, self.number) = (rank, since, number)
        }

        @inlinable static func < (one: Precedence, other: Precedence) -> Bool {
            (other.rank, one.since, one.number) < (one.rank, other.since, other.number)
        }
    }

    @usableFromInline struct QueueKey: Hashable {
        @usableFromInline let first: ObjectIdentifier
        @usableFromInline let second: ObjectIdentifier?
        @usableFromInline let third: ObjectIdentifier?
        @usableFromInline let fourth: ObjectIdentifier?

        @inlinable init(_ needs: Needs) {
            first = ObjectIdentifier(needs.first.resource)
            second = needs.second.map { ObjectIdentifier($0.resource) }
            third = needs.third.map { ObjectIdentifier($0.resource) }
            fourth = needs.fourth.map { ObjectIdentifier($0.resource) }
        }
    }

    /// The slots that wait for the same resources; it exists while there are any.
    @usableFromInline final class Queue: Hashable {
        @usableFromInline let key: QueueKey
        @usableFromInline let resources: [Resource]
        @exclusivity(unchecked) @usableFromInline var waiting: AgeingPriorityQueue<Slot>
        /// The resource that has it among `blocked`, and its head's own limit there.
        @exclusivity(unchecked) @usableFromInline var blocker: (resource: Resource, atMost: Int)?

        @inlinable init(_ key: QueueKey, _ resources: [Resource], isNewestFirst: Bool) {
            (self.key, self.resources) = (key, resources)
            waiting = AgeingPriorityQueue(isNewestFirst: isNewestFirst, since: { $0.since }) {
                $0.state != .waiting
            }
        }

        @inlinable static func == (one: Queue, other: Queue) -> Bool { one === other }
        @inlinable func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    @usableFromInline let order: Order
    @usableFromInline let measuresUse: Bool
    /// Nanoseconds of waiting that raise a slot's priority by one; 0: no ageing.
    public var ageing: UInt64
    @usableFromInline var defaultLimit: (Key) -> Int?
    @usableFromInline var resources: [Key: Resource] = [:]
    @usableFromInline var queues: [QueueKey: Queue] = [:]
    @usableFromInline var count = 0
    /// How often a queue's head was looked at, for tests.
    public var looks = 0

    /// - Parameters:
    ///   - ageing: nanoseconds of waiting that raise a slot's priority by one; 0: no ageing.
    ///   - measuresUse: whether ages are those at the expected grant, by the average time that slots are held.
    ///   - defaultLimit: the limit of a resource for which none was set; nil: none.
    @inlinable public init(
        _ order: Order, ageing: UInt64, measuresUse: Bool = false,
        defaultLimit: @escaping (Key) -> Int? = { _ in nil }
    ) {
        (self.order, self.ageing, self.measuresUse) = (order, ageing, measuresUse)
        self.defaultLimit = defaultLimit
    }

    // MARK: Resources

    /// How many resources are in use, are waited for, are suspended or have a limit of their own.
    @inlinable public var resourceCount: Int { resources.count }

    /// The resource of a key, if it is one of those.
    @inlinable public func knownResource(_ key: Key) -> Resource? { resources[key] }

    /// The resource of a key, for an `ask` that follows at once.
    ///
    /// - Parameter minimum: that of a new resource.
    @inlinable public mutating func resource(
        of key: Key, minimum: @autoclosure () -> Int = 0
    ) -> Resource {
        if let known = resources[key] { return known }
        let resource = Resource(
            key, isKept: false, minimum: minimum(), defaultLimit: defaultLimit(key) ?? .max)
        resources[key] = resource
        return resource
    }

    /// A resource that its caller keeps, and that is not found by its key.
    @inlinable public func keptResource(_ key: Key) -> Resource {
        Resource(key, isKept: true, minimum: 0, defaultLimit: .max)
    }

    /// - Returns: the slots that this grants.
    @inlinable public mutating func setLimit(_ limit: Int?, of key: Key, at now: UInt64) -> [Slot] {
        let resource = resource(of: key)
        resource.limit = limit
        return grantSlots(of: [resource], at: now)
    }

    /// Sets the limits of resources for which none was set.
    ///
    /// - Returns: the slots that this grants.
    @inlinable public mutating func setDefaultLimit(
        at now: UInt64, _ limit: @escaping (Key) -> Int?
    ) -> [Slot] {
        defaultLimit = limit
        for resource in resources.values {
            resource.defaultLimit = limit(resource.key) ?? .max
        }
        return grantSlots(of: Array(resources.values), at: now)
    }

    /// - Returns: the slots that this grants.
    @inlinable public mutating func setSuspended(
        _ isSuspended: Bool, _ resource: Resource, at now: UInt64
    ) -> [Slot] {
        resource.isSuspended = isSuspended
        return grantSlots(of: [resource], at: now)
    }

    /// Sets the `minimum` of a slot's first resource.
    ///
    /// - Returns: the slots that this grants.
    @inlinable public mutating func setMinimum(
        _ minimum: Int, atFirstOf slot: Slot, at now: @autoclosure () -> UInt64
    ) -> [Slot] {
        slot.resource.minimum = minimum
        return queues.isEmpty ? [] : grantSlots(of: [slot.resource], after: slot.needs, at: now())
    }

    // MARK: Slots

    /// A slot that is granted at once, or waits where something blocks it or others wait for the same resources.
    @inlinable public mutating func ask(
        _ needs: Needs, _ priority: TransferPriority = .normal, _ waiter: Waiter? = nil,
        at now: @autoclosure () -> UInt64
    ) -> Slot {
        guard !hasQueue(needs), needs.blocker == nil else {
            return wait(needs, priority, waiter, at: now())
        }
        return take(needs, priority, waiter, at: measuresUse ? now() : 0)
    }

    /// A slot that is granted at once, whatever the limits are.
    @inlinable public mutating func take(
        _ needs: Needs, _ priority: TransferPriority = .normal, _ waiter: Waiter? = nil,
        at now: UInt64
    ) -> Slot {
        count += 1
        needs.forEach { $0.resource.inUse += $0.weight }
        return Slot(needs, priority, waiter, .held, since: now, number: count)
    }

    /// Gives a slot back, or stops waiting.
    ///
    /// - Returns: the slots that this grants.
    @inlinable public mutating func leave(
        _ slot: Slot, at now: @autoclosure () -> UInt64
    ) -> [Slot] {
        let old = slot.state
        slot.state = .left
        slot.waiter = nil
        guard old == .held else { return old == .waiting ? leaveQueue(slot, at: now()) : [] }
        slot.needs.forEach { $0.resource.inUse -= $0.weight }
        if measuresUse { noteUse(of: slot, at: now()) }
        guard queues.isEmpty else {
            return grantSlots(of: slot.needs.resources, after: slot.needs, at: now())
        }
        forgetUnused(slot.needs)
        return []
    }

    /// Removes all slots that wait for some resources.
    ///
    /// - Returns: their waiters.
    @inlinable public mutating func dismiss(
        at now: UInt64, where isOne: (Resource) -> Bool
    ) -> [Waiter] {
        var waiters: [Waiter] = []
        for queue in Array(queues.values) where queue.resources.contains(where: isOne) {
            for priority in TransferPriority.allCases {
                while let slot = queue.waiting.first(of: priority) {
                    if let waiter = slot.waiter { waiters.append(waiter) }
                    queue.waiting.removeFirst(priority)
                    slot.state = .left
                    slot.queue = nil
                    slot.waiter = nil
                }
            }
            update(queue, at: now)
        }
        return waiters
    }

    /// What blocks a waiting slot; nil where it waits only for slots before it.
    @inlinable public func reason(of slot: Slot) -> Reason? {
        guard slot.state == .waiting, let resource = slot.needs.blocker?.resource else {
            return nil
        }
        return resource.isSuspended ? .suspended(resource.key) : .limit(resource.key)
    }
}
