/// How soon an exchange gets a connection, before those of a lower class that wait as long.
public enum TransferPriority: Int, Comparable, CaseIterable, Sendable {
    case veryLow, low, normal, high, veryHigh

    /// Whether one is lower than another.
    @inlinable public static func < (left: TransferPriority, right: TransferPriority) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Its class after so many steps up; in the highest the oldest is first, so that the lowest class waits
    /// four steps, and then for nobody but those that are older.
    @inlinable public func rank(risen: UInt64) -> Int {
        min(Self.veryHigh.rawValue, rawValue + Int(min(risen, 4)))
    }
}

/// Waiting lines, one for each class. Who waits rises by a class each `ageing` nanoseconds, up to the
/// highest, so that nobody waits for ever behind those that come later. All operations take constant time.
public struct PriorityLine<Element> {
    /// The class that nearly all have.
    @usableFromInline var normal: WaitingLine<Element>
    /// The others; empty while there were none.
    @usableFromInline var others: [WaitingLine<Element>] = []
    @usableFromInline let hasLeft: (Element) -> Bool
    @usableFromInline let since: (Element) -> UInt64

    /// - Parameters:
    ///   - since: when an element began to wait, in nanoseconds.
    ///   - hasLeft: whether an element has left; `noteLeaving` is called for each that does.
    @inlinable public init(
        since: @escaping (Element) -> UInt64, hasLeft: @escaping (Element) -> Bool
    ) {
        self.since = since
        self.hasLeft = hasLeft
        normal = WaitingLine(hasLeft: hasLeft)
    }

    /// Whether none waits.
    @inlinable public var isEmpty: Bool { normal.isEmpty && others.allSatisfy { $0.isEmpty } }

    /// Adds an element behind all others of its class.
    @inlinable public mutating func append(_ element: Element, _ priority: TransferPriority) {
        change(priority) { $0.append(element) }
    }

    /// An element of a class has left.
    @inlinable public mutating func noteLeaving(_ priority: TransferPriority) {
        change(priority) { $0.noteLeaving() }
    }

    /// Who is next at a time.
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

    /// Who is first in a class.
    @inlinable public mutating func first(of priority: TransferPriority) -> Element? {
        if priority != .normal, others.isEmpty { return nil }
        return change(priority) { $0.first() }
    }

    /// Removes the first of a class.
    @inlinable public mutating func removeFirst(_ priority: TransferPriority) {
        _ = change(priority) { $0.removeFirst() }
    }

    @inlinable mutating func change<Result>(
        _ priority: TransferPriority, _ change: (inout WaitingLine<Element>) -> Result
    ) -> Result {
        if priority == .normal { return change(&normal) }
        if others.isEmpty {
            others = TransferPriority.allCases.map { _ in WaitingLine(hasLeft: hasLeft) }
        }
        return change(&others[priority.rawValue])
    }
}
