/// Who may use what, by key: each asks for one to four keys and gets a slot of all at once, or waits. Whoever
/// waits for the same keys is in one line, by priority and age.
///
/// A line is listed with the one key that keeps its first from going, so that a slot that becomes free costs the
/// logarithm of the number of lines, however many wait for something else.
///
/// ## Concurrency
/// A value without a lock, whose owner guards it. It calls nobody: what changes it returns who has a slot now.
///
/// All of it is public and inlinable, in a module that is no product: the compiler makes code for the caller's own keys
/// and waiters then, and the general code takes three to seven times as long.
public struct Limiter<Key: Hashable, Waiter> {
    // Properties of the classes are unchecked for speed: nobody is called while one is being changed.

    /// Which line is next where several could be.
    public enum Order {
        /// That of the highest rank, then the oldest.
        case rank
        /// That which the slot came from, then the one whose first asked first.
        case age
    }

    /// What a key has: limits, and how much of it is in use.
    public final class Lane {
        /// What it is found by.
        public let key: Key
        /// Whether it stays while nobody uses it.
        @usableFromInline let isKept: Bool
        /// Whether no slot of it is given.
        @exclusivity(unchecked) public var isSuspended = false
        /// Its own limit.
        @exclusivity(unchecked) public var limit: Int?
        @exclusivity(unchecked) @usableFromInline var usualLimit: Int
        /// At least so many may use it, whatever they set themselves.
        @exclusivity(unchecked) public var least: Int
        @exclusivity(unchecked) @usableFromInline var most: Int
        /// How much of it is in use.
        @exclusivity(unchecked) public var inUse = 0
        /// In how many lines somebody waits for it.
        @exclusivity(unchecked) @usableFromInline var lines = 0
        /// Whether the limiter has it no more, because nobody used it.
        @exclusivity(unchecked) public var isForgotten = false
        /// How long it was in use lately, in nanoseconds; where that is measured.
        @exclusivity(unchecked) @usableFromInline var timeInUse: UInt64 = 0
        /// The lines that wait for it, by their own limits: for each class by who is first there, or by their first.
        @exclusivity(unchecked) @usableFromInline var listed: [Int: [KeyedHeap<Line, Turn>]] = [:]

        @inlinable init(_ key: Key, isKept: Bool, least: Int, usualLimit: Int) {
            (self.key, self.isKept, self.usualLimit) = (key, isKept, usualLimit)
            (self.least, most) = (least, usualLimit)
        }

        @inlinable var isUnused: Bool {
            inUse == 0 && lines == 0 && !isKept && limit == nil && !isSuspended
        }

        /// One that needs more than there is goes alone.
        @inlinable func hasRoom(_ weight: Int, atMost: Int) -> Bool {
            !isSuspended
                && (inUse == 0 || weight == 0
                    || inUse + weight <= min(most, max(atMost, least)))
        }

        /// Eight times make a new mean.
        @inlinable func note(timeInUse time: UInt64) {
            timeInUse = timeInUse == 0 ? time : timeInUse - timeInUse / 8 + time / 8
        }
    }

    /// One key that an asker needs a slot of.
    public struct Need {
        @usableFromInline let lane: Lane
        /// A limit of the one who asks, beside that of the key.
        @usableFromInline let atMost: Int
        /// How much of the key is taken; 0 waits only while it is suspended.
        @usableFromInline let weight: Int

        /// - Parameters:
        ///   - atMost: a limit of the asker's own.
        ///   - weight: how much is taken; 0 waits only while the key is suspended.
        @inlinable public init(_ lane: Lane, atMost: Int = .max, weight: Int = 1) {
            (self.lane, self.atMost, self.weight) = (lane, atMost, weight)
        }

        @inlinable var hasRoom: Bool { lane.hasRoom(weight, atMost: atMost) }
    }

    /// Without an array, which each that asks would allocate.
    public struct Needs {
        @usableFromInline let first: Need
        @usableFromInline let second: Need?
        @usableFromInline let third: Need?
        @usableFromInline let fourth: Need?

        /// Those behind one that is nil are nil.
        @inlinable public init(
            _ first: Need, _ second: Need? = nil, _ third: Need? = nil, _ fourth: Need? = nil
        ) {
            (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
        }

        /// The first need without room.
        @inlinable var blocker: Need? {
            if !first.hasRoom { return first }
            if let second, !second.hasRoom { return second }
            if let third, !third.hasRoom { return third }
            if let fourth, !fourth.hasRoom { return fourth }
            return nil
        }

        @inlinable func forEach(_ body: (Need) -> Void) {
            body(first)
            if let second { body(second) }
            if let third { body(third) }
            if let fourth { body(fourth) }
        }

        @inlinable func need(of lane: Lane) -> Need? {
            if first.lane === lane { return first }
            if second?.lane === lane { return second }
            return third?.lane === lane ? third : fourth
        }

        @inlinable var lanes: [Lane] {
            guard let second else { return [first.lane] }
            guard let third else { return [first.lane, second.lane] }
            guard let fourth else { return [first.lane, second.lane, third.lane] }
            return [first.lane, second.lane, third.lane, fourth.lane]
        }
    }

    /// One that waits, or has a slot of each of its keys.
    public final class Slot {
        /// Where it is on its way.
        public enum State {
            case waiting, held, left
        }

        /// The class in which it waits.
        public let priority: TransferPriority
        @usableFromInline let needs: Needs
        @usableFromInline let number: Int
        /// When it began to wait, and then, where use is measured, when it got its slots.
        @exclusivity(unchecked) public var since: UInt64
        /// Whether it waits, is held, or was left.
        @exclusivity(unchecked) public var state: State
        /// Its line while it waits, which the limiter has.
        @exclusivity(unchecked) @usableFromInline unowned var line: Line?
        /// Whoever is to be told; nil once the slot was left.
        @exclusivity(unchecked) public var waiter: Waiter?

        @inlinable init(
            _ needs: Needs, _ priority: TransferPriority, _ waiter: Waiter?, _ state: State,
            since: UInt64, number: Int
        ) {
            (self.needs, self.priority, self.waiter, self.state) = (needs, priority, waiter, state)
            (self.since, self.number) = (since, number)
        }

        /// Whether it has a slot of each key.
        @inlinable public var isHeld: Bool { state == .held }

        /// The first of those that it was asked for.
        @inlinable public var lane: Lane { needs.first.lane }
    }

    /// Why a slot waits.
    public enum Reason {
        case suspended(Key), limit(Key)
    }

    /// Who goes before whom.
    @usableFromInline struct Turn: Comparable {
        @usableFromInline let rank: Int
        @usableFromInline let since: UInt64
        @usableFromInline let number: Int

        @inlinable init(rank: Int = 0, since: UInt64 = 0, number: Int) {
            (self.rank, self.since, self.number) = (rank, since, number)
        }

        @inlinable static func < (one: Turn, other: Turn) -> Bool {
            (other.rank, one.since, one.number) < (one.rank, other.since, other.number)
        }
    }

    @usableFromInline struct LineKey: Hashable {
        @usableFromInline let first: ObjectIdentifier
        @usableFromInline let second: ObjectIdentifier?
        @usableFromInline let third: ObjectIdentifier?
        @usableFromInline let fourth: ObjectIdentifier?

        @inlinable init(_ needs: Needs) {
            first = ObjectIdentifier(needs.first.lane)
            second = needs.second.map { ObjectIdentifier($0.lane) }
            third = needs.third.map { ObjectIdentifier($0.lane) }
            fourth = needs.fourth.map { ObjectIdentifier($0.lane) }
        }
    }

    /// Those that wait for the same keys; it exists while there are any.
    @usableFromInline final class Line: Hashable {
        @usableFromInline let key: LineKey
        @usableFromInline let lanes: [Lane]
        @exclusivity(unchecked) @usableFromInline var waiting = PriorityLine<Slot>(since: {
            $0.since
        }) {
            $0.state != .waiting
        }
        /// Where it is listed.
        @exclusivity(unchecked) @usableFromInline var place: (lane: Lane, atMost: Int)?

        @inlinable init(_ key: LineKey, _ lanes: [Lane]) {
            (self.key, self.lanes) = (key, lanes)
        }

        @inlinable static func == (one: Line, other: Line) -> Bool { one === other }
        @inlinable func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    @usableFromInline let order: Order
    /// Whether the mean time in use says how much older who waits will be at its start.
    @usableFromInline let measuresUse: Bool
    /// Nanoseconds after which who waits counts as of the next class; 0: never.
    public var ageing: UInt64
    @usableFromInline var usualLimit: (Key) -> Int?
    @usableFromInline var lanes: [Key: Lane] = [:]
    @usableFromInline var lines: [LineKey: Line] = [:]
    @usableFromInline var count = 0
    /// How often the first of a line was looked at, for tests.
    public var looks = 0

    /// - Parameters:
    ///   - ageing: nanoseconds after which an asker counts as of the next class; 0: never.
    ///   - usualLimit: of a key without a limit of its own; nil: none.
    @inlinable public init(
        _ order: Order, ageing: UInt64, measuresUse: Bool = false,
        usualLimit: @escaping (Key) -> Int? = { _ in nil }
    ) {
        (self.order, self.ageing, self.measuresUse) = (order, ageing, measuresUse)
        self.usualLimit = usualLimit
    }

    // MARK: Keys

    /// How many keys are in use, are waited for, or have a limit of their own.
    @inlinable public var laneCount: Int { lanes.count }

    /// The lane of a key that is in use, waited for or limited.
    @inlinable public func knownLane(_ key: Key) -> Lane? { lanes[key] }

    /// The lane of a key, for an `ask` that follows at once.
    ///
    /// - Parameter least: of one that was not known.
    @inlinable public mutating func lane(
        of key: Key, least: @autoclosure () -> Int = 0
    ) -> Lane {
        if let known = lanes[key] { return known }
        let lane = Lane(key, isKept: false, least: least(), usualLimit: usualLimit(key) ?? .max)
        lanes[key] = lane
        return lane
    }

    /// A lane that its owner keeps, and nobody finds by a key.
    @inlinable public func keptLane(_ key: Key) -> Lane {
        Lane(key, isKept: true, least: 0, usualLimit: .max)
    }

    /// - Returns: who has slots now.
    @inlinable public mutating func setLimit(_ limit: Int?, of key: Key, at now: UInt64) -> [Slot] {
        let lane = lane(of: key)
        lane.limit = limit
        lane.most = limit ?? lane.usualLimit
        return admit([lane], at: now)
    }

    /// Sets the limits of keys that have none of their own.
    ///
    /// - Returns: who has slots now.
    @inlinable public mutating func setUsualLimit(
        at now: UInt64, _ limit: @escaping (Key) -> Int?
    ) -> [Slot] {
        usualLimit = limit
        for lane in lanes.values {
            lane.usualLimit = limit(lane.key) ?? .max
            lane.most = lane.limit ?? lane.usualLimit
        }
        return admit(Array(lanes.values), at: now)
    }

    /// - Returns: who has slots now.
    @inlinable public mutating func setSuspended(
        _ isSuspended: Bool, _ lane: Lane, at now: UInt64
    ) -> [Slot] {
        lane.isSuspended = isSuspended
        return admit([lane], at: now)
    }

    /// Has at least so many use the first key of a slot, whatever limits they set themselves.
    ///
    /// - Returns: who has slots now.
    @inlinable public mutating func setLeast(
        _ least: Int, atFirstOf slot: Slot, at now: @autoclosure () -> UInt64
    ) -> [Slot] {
        slot.lane.least = least
        return lines.isEmpty ? [] : admit([slot.lane], own: slot.needs, at: now())
    }

    // MARK: Slots

    /// Takes a slot of each key if all have room and nobody waits for the same keys; else waits.
    @inlinable public mutating func ask(
        _ needs: Needs, _ priority: TransferPriority = .normal, _ waiter: Waiter? = nil,
        at now: @autoclosure () -> UInt64
    ) -> Slot {
        guard !hasLine(needs), needs.blocker == nil else {
            return wait(needs, priority, waiter, at: now())
        }
        return take(needs, priority, waiter, at: measuresUse ? now() : 0)
    }

    /// Takes a slot of each key, whatever the limits say.
    @inlinable public mutating func take(
        _ needs: Needs, _ priority: TransferPriority = .normal, _ waiter: Waiter? = nil,
        at now: UInt64
    ) -> Slot {
        count += 1
        needs.forEach { $0.lane.inUse += $0.weight }
        return Slot(needs, priority, waiter, .held, since: now, number: count)
    }

    /// Gives slots back, or stops waiting.
    ///
    /// - Returns: who has slots now.
    @inlinable public mutating func leave(
        _ slot: Slot, at now: @autoclosure () -> UInt64
    ) -> [Slot] {
        let old = slot.state
        slot.state = .left
        slot.waiter = nil
        guard old == .held else { return old == .waiting ? leaveLine(slot, at: now()) : [] }
        slot.needs.forEach { $0.lane.inUse -= $0.weight }
        if measuresUse { note(slot, at: now()) }
        guard lines.isEmpty else { return admit(afterUse: slot.needs, at: now()) }
        forgetUnused(slot.needs)
        return []
    }

    /// Has all leave that wait for one of some keys.
    @inlinable public mutating func dismiss(at now: UInt64, where isOne: (Lane) -> Bool) -> [Waiter]
    {
        var waiters: [Waiter] = []
        for line in Array(lines.values) where line.lanes.contains(where: isOne) {
            for priority in TransferPriority.allCases {
                while let slot = line.waiting.first(of: priority) {
                    if let waiter = slot.waiter { waiters.append(waiter) }
                    line.waiting.removeFirst(priority)
                    slot.state = .left
                    slot.line = nil
                    slot.waiter = nil
                }
            }
            settle(line, at: now)
        }
        return waiters
    }

    /// What keeps a slot waiting; nil where only those before it do.
    @inlinable public func reason(of slot: Slot) -> Reason? {
        guard slot.state == .waiting, let lane = slot.needs.blocker?.lane else { return nil }
        return lane.isSuspended ? .suspended(lane.key) : .limit(lane.key)
    }
}
