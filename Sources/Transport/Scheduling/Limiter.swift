/// Who may use what, by key: each asks for one to three keys and gets a slot of all at once, or waits. Whoever
/// waits for the same keys is in one line, by priority and age.
///
/// A line is listed with the one key that keeps its first from going, so that a slot that becomes free costs the
/// logarithm of the number of lines, however many wait for something else.
///
/// ## Concurrency
/// A value without a lock, whose owner guards it. It calls nobody: what changes it returns who has a slot now.
package struct Limiter<Key: Hashable, Waiter> {
    // Properties of the classes are unchecked for speed: nobody is called while one is being changed.

    /// Which line is next where several could be.
    package enum Order {
        /// That of the highest rank, then the oldest.
        case rank
        /// That which the slot came from, then the one whose first asked first.
        case age
    }

    /// What a key has: limits, and how much of it is in use.
    package final class Lane {
        package let key: Key
        /// Whether it stays while nobody uses it.
        @usableFromInline let isKept: Bool
        @exclusivity(unchecked) @usableFromInline package internal(set) var isSuspended = false
        /// Its own limit.
        @exclusivity(unchecked) @usableFromInline package internal(set) var limit: Int?
        @exclusivity(unchecked) fileprivate var usualLimit: Int
        /// At least so many may use it, whatever they set themselves.
        @exclusivity(unchecked) @usableFromInline package internal(set) var least: Int
        @exclusivity(unchecked) @usableFromInline var most: Int
        @exclusivity(unchecked) @usableFromInline package internal(set) var inUse = 0
        /// In how many lines somebody waits for it.
        @exclusivity(unchecked) @usableFromInline var lines = 0
        @exclusivity(unchecked) @usableFromInline package internal(set) var isForgotten = false
        /// How long it was in use lately, in nanoseconds; where that is measured.
        @exclusivity(unchecked) fileprivate var timeInUse: UInt64 = 0
        /// The lines that wait for it, by their own limits: for each class by who is first there, or by their first.
        @exclusivity(unchecked) fileprivate var listed: [Int: [KeyedHeap<Line, Turn>]] = [:]

        @usableFromInline init(_ key: Key, isKept: Bool, least: Int, usualLimit: Int) {
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
        fileprivate func note(timeInUse time: UInt64) {
            timeInUse = timeInUse == 0 ? time : timeInUse - timeInUse / 8 + time / 8
        }
    }

    package struct Need {
        @usableFromInline let lane: Lane
        /// A limit of the one who asks, beside that of the key.
        @usableFromInline let atMost: Int
        /// How much of the key is taken; 0 waits only while it is suspended.
        @usableFromInline let weight: Int

        @inlinable package init(_ lane: Lane, atMost: Int = .max, weight: Int = 1) {
            (self.lane, self.atMost, self.weight) = (lane, atMost, weight)
        }

        @inlinable var hasRoom: Bool { lane.hasRoom(weight, atMost: atMost) }
    }

    /// Without an array, which each that asks would allocate.
    package struct Needs {
        @usableFromInline let first: Need
        @usableFromInline let second: Need?
        @usableFromInline let third: Need?

        @inlinable package init(_ first: Need, _ second: Need? = nil, _ third: Need? = nil) {
            (self.first, self.second, self.third) = (first, second, third)
        }

        /// The first need without room.
        @inlinable var blocker: Need? {
            if !first.hasRoom { return first }
            if let second, !second.hasRoom { return second }
            if let third, !third.hasRoom { return third }
            return nil
        }

        @inlinable func forEach(_ body: (Need) -> Void) {
            body(first)
            if let second { body(second) }
            if let third { body(third) }
        }

        fileprivate func need(of lane: Lane) -> Need? {
            if first.lane === lane { return first }
            return second?.lane === lane ? second : third
        }

        fileprivate var lanes: [Lane] {
            guard let second else { return [first.lane] }
            guard let third else { return [first.lane, second.lane] }
            return [first.lane, second.lane, third.lane]
        }
    }

    /// One that waits, or has a slot of each of its keys.
    package final class Slot {
        package enum State {
            case waiting, held, left
        }

        package let priority: TransferPriority
        @usableFromInline let needs: Needs
        @usableFromInline let number: Int
        /// When it began to wait, and then, where use is measured, when it got its slots.
        @exclusivity(unchecked) @usableFromInline var since: UInt64
        @exclusivity(unchecked) @usableFromInline package internal(set) var state: State
        /// Its line while it waits, which the limiter has.
        @exclusivity(unchecked) fileprivate unowned var line: Line?
        /// Whoever is to be told; nil once the slot was left.
        @exclusivity(unchecked) package var waiter: Waiter?

        @usableFromInline init(
            _ needs: Needs, _ priority: TransferPriority, _ waiter: Waiter?, _ state: State,
            since: UInt64, number: Int
        ) {
            (self.needs, self.priority, self.waiter, self.state) = (needs, priority, waiter, state)
            (self.since, self.number) = (since, number)
        }

        @inlinable package var isHeld: Bool { state == .held }

        /// The first of those that it was asked for.
        @inlinable package var lane: Lane { needs.first.lane }
    }

    package enum Reason {
        case suspended(Key), limit(Key)
    }

    /// Who goes before whom.
    fileprivate struct Turn: Comparable {
        var rank = 0
        var since: UInt64 = 0
        let number: Int

        static func < (one: Turn, other: Turn) -> Bool {
            (other.rank, one.since, one.number) < (one.rank, other.since, other.number)
        }
    }

    @usableFromInline struct LineKey: Hashable {
        let first: ObjectIdentifier
        let second: ObjectIdentifier?
        let third: ObjectIdentifier?

        init(_ needs: Needs) {
            first = ObjectIdentifier(needs.first.lane)
            second = needs.second.map { ObjectIdentifier($0.lane) }
            third = needs.third.map { ObjectIdentifier($0.lane) }
        }
    }

    /// Those that wait for the same keys; it exists while there are any.
    @usableFromInline final class Line: Hashable {
        fileprivate let key: LineKey
        fileprivate let lanes: [Lane]
        @exclusivity(unchecked) fileprivate var waiting = PriorityLine<Slot>(since: \.since) {
            $0.state != .waiting
        }
        /// Where it is listed.
        @exclusivity(unchecked) fileprivate var place: (lane: Lane, atMost: Int)?

        fileprivate init(_ key: LineKey, _ lanes: [Lane]) {
            (self.key, self.lanes) = (key, lanes)
        }

        @usableFromInline static func == (one: Line, other: Line) -> Bool { one === other }
        @usableFromInline func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    private let order: Order
    /// Whether the mean time in use says how much older who waits will be at its start.
    @usableFromInline let measuresUse: Bool
    /// Nanoseconds after which who waits counts as of the next class; 0: never.
    package var ageing: UInt64
    @usableFromInline var usualLimit: (Key) -> Int?
    @usableFromInline var lanes: [Key: Lane] = [:]
    @usableFromInline var lines: [LineKey: Line] = [:]
    @usableFromInline var count = 0
    /// How often the first of a line was looked at, for tests.
    package private(set) var looks = 0

    package init(
        _ order: Order, ageing: UInt64, measuresUse: Bool = false,
        usualLimit: @escaping (Key) -> Int? = { _ in nil }
    ) {
        (self.order, self.ageing, self.measuresUse) = (order, ageing, measuresUse)
        self.usualLimit = usualLimit
    }

    // MARK: Keys

    /// How many keys are in use, are waited for, or have a limit of their own.
    package var laneCount: Int { lanes.count }

    package func knownLane(_ key: Key) -> Lane? { lanes[key] }

    /// The lane of a key, for an `ask` that follows at once.
    ///
    /// - Parameter least: of one that was not known.
    @inlinable package mutating func lane(
        of key: Key, least: @autoclosure () -> Int = 0
    ) -> Lane {
        if let known = lanes[key] { return known }
        let lane = Lane(key, isKept: false, least: least(), usualLimit: usualLimit(key) ?? .max)
        lanes[key] = lane
        return lane
    }

    /// A lane that its owner keeps, and nobody finds by a key.
    package func keptLane(_ key: Key) -> Lane {
        Lane(key, isKept: true, least: 0, usualLimit: .max)
    }

    /// - Returns: who has slots now.
    package mutating func setLimit(_ limit: Int?, of key: Key, at now: UInt64) -> [Slot] {
        let lane = lane(of: key)
        lane.limit = limit
        lane.most = limit ?? lane.usualLimit
        return admit([lane], at: now)
    }

    /// Sets the limits of keys that have none of their own.
    ///
    /// - Returns: who has slots now.
    package mutating func setUsualLimit(
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
    package mutating func setSuspended(
        _ isSuspended: Bool, _ lane: Lane, at now: UInt64
    ) -> [Slot] {
        lane.isSuspended = isSuspended
        return admit([lane], at: now)
    }

    /// Has at least so many use the first key of a slot, whatever limits they set themselves.
    ///
    /// - Returns: who has slots now.
    package mutating func setLeast(
        _ least: Int, atFirstOf slot: Slot, at now: @autoclosure () -> UInt64
    ) -> [Slot] {
        slot.lane.least = least
        return lines.isEmpty ? [] : admit([slot.lane], own: slot.needs, at: now())
    }

    // MARK: Slots

    /// Takes a slot of each key if all have room and nobody waits for the same keys; else waits.
    @inlinable package mutating func ask(
        _ needs: Needs, _ priority: TransferPriority = .normal, _ waiter: Waiter? = nil,
        at now: @autoclosure () -> UInt64
    ) -> Slot {
        guard !hasLine(needs), needs.blocker == nil else {
            return wait(needs, priority, waiter, at: now())
        }
        return take(needs, priority, waiter, at: measuresUse ? now() : 0)
    }

    /// Takes a slot of each key, whatever the limits say.
    @inlinable package mutating func take(
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
    @inlinable package mutating func leave(
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
    package mutating func dismiss(at now: UInt64, where isOne: (Lane) -> Bool) -> [Waiter] {
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
    package func reason(of slot: Slot) -> Reason? {
        guard slot.state == .waiting, let lane = slot.needs.blocker?.lane else { return nil }
        return lane.isSuspended ? .suspended(lane.key) : .limit(lane.key)
    }

    // MARK: Lines

    @inlinable func hasLine(_ needs: Needs) -> Bool {
        needs.first.lane.lines > 0 && isInLine(needs)
    }

    @usableFromInline func isInLine(_ needs: Needs) -> Bool { lines[LineKey(needs)] != nil }

    @usableFromInline mutating func wait(
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

    @usableFromInline mutating func leaveLine(_ slot: Slot, at now: UInt64) -> [Slot] {
        guard let line = slot.line else { return [] }
        line.waiting.noteLeaving(slot.priority)
        slot.line = nil
        settle(line, at: now)
        // Those behind it may have other limits.
        return admit(line.place.map { [$0.lane] } ?? [], own: slot.needs, at: now)
    }

    @usableFromInline func note(_ slot: Slot, at now: UInt64) {
        let time = now > slot.since ? now - slot.since : 0
        slot.needs.forEach { if $0.weight > 0 { $0.lane.note(timeInUse: time) } }
    }

    @inlinable mutating func forgetUnused(_ needs: Needs) {
        if needs.first.lane.isUnused { forget(needs.first.lane) }
        if let lane = needs.second?.lane, lane.isUnused { forget(lane) }
        if let lane = needs.third?.lane, lane.isUnused { forget(lane) }
    }

    @inlinable mutating func forget(_ lane: Lane) {
        guard !lane.isForgotten else { return }
        lane.isForgotten = true
        lanes[lane.key] = nil
    }

    @usableFromInline mutating func admit(afterUse needs: Needs, at now: UInt64) -> [Slot] {
        admit(needs.lanes, own: needs, at: now)
    }

    /// Gives slots to whom it can of those that wait for some keys.
    private mutating func admit(
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
    private mutating func next(
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

    private mutating func next(
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

    private mutating func give(_ slot: Slot, of line: Line, at now: UInt64) {
        line.waiting.removeFirst(slot.priority)
        slot.state = .held
        slot.line = nil
        slot.since = now
        slot.needs.forEach { $0.lane.inUse += $0.weight }
    }

    /// Lists a line where it waits now, or forgets it where nobody waits. One that could go stays where it is.
    private mutating func settle(_ line: Line, at now: UInt64) {
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

    private func list(_ line: Line, with need: Need, at now: UInt64) {
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
    private func isAlone(_ line: Line, at lane: Lane) -> Bool {
        order == .age && lane.lines == 1 && line.lanes[0] === lane
    }

    private func unlist(_ line: Line) {
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
    private func delay(_ line: Line) -> UInt64 {
        guard measuresUse else { return 0 }
        let time = line.lanes.reduce(0) { max($0, $1.timeInUse) }
        return min(ageing, 2 * min(ageing, time))
    }

    private func first(of line: Line, at now: UInt64) -> Slot? {
        line.waiting.first(at: { now + delay(line) }, ageing: ageing)
    }

    private func turn(of slot: Slot, _ line: Line, at now: UInt64) -> Turn {
        let start = now + delay(line)
        let risen = ageing > 0 && start > slot.since ? (start - slot.since) / ageing : 0
        return Turn(
            rank: slot.priority.rank(risen: risen), since: slot.since, number: slot.number)
    }
}
