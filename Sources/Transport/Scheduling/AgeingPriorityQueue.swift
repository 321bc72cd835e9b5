/// How soon an exchange gets a connection, before those of a lower priority that wait as long.
public enum TransferPriority: Int, Comparable, CaseIterable, Sendable {
    case veryLow, low, normal, high, veryHigh

    /// Whether one is lower than another.
    @inlinable public static func < (left: TransferPriority, right: TransferPriority) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The priority after so many steps up, four at most: from then on only what has waited longer goes first.
    @inlinable public func rank(risen: UInt64) -> Int {
        min(Self.veryHigh.rawValue, rawValue + Int(min(risen, 4)))
    }
}

/// A queue for each priority. An element's priority rises by one each `ageing` nanoseconds, up to the highest,
/// so that none waits for ever behind later ones. All operations take constant time.
public struct AgeingPriorityQueue<Element> {
    /// Nearly all have this priority.
    @usableFromInline var normal: WaitingQueue<Element>
    /// By priority; empty until there is one that is not normal.
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

    /// Adds an element.
    @inlinable public mutating func append(_ element: Element, _ priority: TransferPriority) {
        change(priority) { $0.append(element) }
    }

    /// An element of a priority has left.
    @inlinable public mutating func noteLeaving(_ priority: TransferPriority) {
        change(priority) { $0.noteLeaving() }
    }

    /// The next element: the highest priority after ageing, then the one that has waited longest.
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
