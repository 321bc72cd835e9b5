/// How soon an exchange gets a connection: before those of a lower priority that have waited as long.
public enum TransferPriority: Int, Comparable, CaseIterable, Sendable {
    case veryLow, low, normal, high, veryHigh

    /// Whether one is lower than another.
    @inlinable public static func < (left: TransferPriority, right: TransferPriority) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The priority after a number of steps up, at most the highest.
    @inlinable public func rank(risen: UInt64) -> Int {
        min(Self.veryHigh.rawValue, rawValue + Int(min(risen, 4)))
    }
}

/// A queue for each priority. An element's priority rises by one each `ageing` nanoseconds, up to the highest, so that
/// none waits for ever behind later ones, unless by `isNewestFirst` or an `ageing` of 0. All operations take constant
/// time on average, except an insertion of an older element, which passes those that it overtakes.
public struct AgeingPriorityQueue<Element> {
    /// Nearly all elements have this priority.
    @usableFromInline var normal: WaitingQueue<Element>
    /// By priority; empty until an element's is not normal.
    @usableFromInline var others: [WaitingQueue<Element>] = []
    @usableFromInline let isNewestFirst: Bool
    @usableFromInline let hasLeft: (Element) -> Bool
    @usableFromInline let since: (Element) -> UInt64

    /// - Parameters:
    ///   - isNewestFirst: whether the latest of a priority is first.
    ///   - since: when an element began to wait, in nanoseconds.
    ///   - hasLeft: whether an element has left; `noteLeaving` is called for each that does.
    @inlinable public init(
        isNewestFirst: Bool = false, since: @escaping (Element) -> UInt64,
        hasLeft: @escaping (Element) -> Bool
    ) {
        (self.isNewestFirst, self.since, self.hasLeft) = (isNewestFirst, since, hasLeft)
        normal = WaitingQueue(isNewestFirst: isNewestFirst, hasLeft: hasLeft)
    }

    /// Whether no element waits.
    @inlinable public var isEmpty: Bool { normal.isEmpty && others.allSatisfy { $0.isEmpty } }

    /// Adds an element, behind (`isNewestFirst`: before) those of its priority that began to wait before it did.
    @inlinable public mutating func append(_ element: Element, _ priority: TransferPriority) {
        let (since, began) = (since, since(element))
        change(priority) { $0.insert(element) { since($0) <= began } }
    }

    /// An element of a priority has left.
    @inlinable public mutating func noteLeaving(_ priority: TransferPriority) {
        change(priority) { $0.noteLeaving() }
    }

    /// Compares the first element of each priority: the highest after ageing is next, then the one that waited longest.
    @inlinable public mutating func first(at now: () -> UInt64, ageing: UInt64) -> Element? {
        if others.isEmpty { return normal.first() }
        let now = now()
        var best: (element: Element, priority: Int, since: UInt64)?
        for priority in TransferPriority.allCases.reversed() {
            guard let element = change(priority, { $0.first() }) else { continue }
            let since = since(element)
            let risen = ageing > 0 && now > since ? (now - since) / ageing : 0
            let rank = priority.rank(risen: risen)
            if let known = best, (known.priority, since) >= (rank, known.since) { continue }
            best = (element, rank, since)
        }
        return best?.element
    }

    /// The first element of a priority.
    @inlinable public mutating func first(of priority: TransferPriority) -> Element? {
        if priority != .normal, others.isEmpty { return nil }
        return change(priority) { $0.first() }
    }

    /// Removes the first element of a priority.
    @inlinable public mutating func removeFirst(_ priority: TransferPriority) {
        _ = change(priority) { $0.removeFirst() }
    }

    @inlinable mutating func change<Result>(
        _ priority: TransferPriority, _ change: (inout WaitingQueue<Element>) -> Result
    ) -> Result {
        if priority == .normal { return change(&normal) }
        if others.isEmpty {
            others = TransferPriority.allCases.map { _ in
                WaitingQueue(isNewestFirst: isNewestFirst, hasLeft: hasLeft)
            }
        }
        return change(&others[priority.rawValue])
    }
}

/// A queue whose elements may leave before they are first. All operations but `insert` take constant time on average,
/// and the elements that left take no more memory than those that wait, or than 32.
public struct WaitingQueue<Element> {
    /// Those before `start` are nil, so that removed elements are released.
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var start = 0
    @usableFromInline var gone = 0
    @usableFromInline let isNewestFirst: Bool
    @usableFromInline let hasLeft: (Element) -> Bool

    /// - Parameters:
    ///   - isNewestFirst: last in, first out.
    ///   - hasLeft: whether an element has left; `noteLeaving` is called for each that does.
    @inlinable public init(isNewestFirst: Bool = false, hasLeft: @escaping (Element) -> Bool) {
        (self.isNewestFirst, self.hasLeft) = (isNewestFirst, hasLeft)
    }

    /// How many elements wait.
    @inlinable public var count: Int { elements.count - start - gone }

    /// Whether no element waits.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// Adds an element.
    @inlinable public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Inserts an element behind the last one for which `goesFirst` is true.
    ///
    /// - Parameter goesFirst: whether another element was there before it.
    @inlinable public mutating func insert(
        _ element: Element, behind goesFirst: (Element) -> Bool
    ) {
        var index = elements.count
        while index > start, let other = elements[index - 1], !goesFirst(other) { index -= 1 }
        elements.insert(element, at: index)
    }

    /// Removes the element that was added last; it must not have left.
    mutating func removeLast() {
        elements.removeLast()
    }

    /// An element has left.
    @inlinable public mutating func noteLeaving() {
        gone += 1
        guard gone > 32, gone * 2 > elements.count - start else { return }
        elements = elements[start...].filter { $0.map(hasLeft) == false }
        start = 0
        gone = 0
    }

    /// The first element that has not left; those before it are dropped.
    @inlinable public mutating func first() -> Element? {
        while start < elements.count {
            let first = elements[isNewestFirst ? elements.count - 1 : start]
            if let first, !hasLeft(first) { return first }
            gone -= 1
            skip()
        }
        return nil
    }

    /// Removes the first element that has not left.
    @inlinable public mutating func removeFirst() -> Element? {
        guard let element = first() else { return nil }
        skip()
        return element
    }

    @inlinable mutating func skip() {
        if isNewestFirst {
            elements.removeLast()
            return
        }
        elements[start] = nil
        start += 1
        guard start > 32, start * 2 > elements.count else { return }
        elements.removeFirst(start)
        start = 0
    }
}
