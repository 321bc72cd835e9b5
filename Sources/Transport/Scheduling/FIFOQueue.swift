/// First in, first out, in constant time; a removed element is released at once.
///
/// An `ArraySlice` would keep removed elements until the last one is removed. It is public and inlinable for the reason
/// that `Limiter` gives.
public struct FIFOQueue<Element> {
    @usableFromInline var incoming: [Element] = []
    /// Elements to be removed next, in reverse order.
    @usableFromInline var outgoing: [Element] = []

    /// An empty one.
    @inlinable public init() {}

    /// Whether there is no element.
    @inlinable public var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    /// Adds an element behind all others.
    @inlinable public mutating func append(_ element: Element) {
        incoming.append(element)
    }

    /// Removes the first element.
    @inlinable public mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            if incoming.isEmpty { return nil }
            outgoing = incoming.reversed()
            incoming = []
        }
        return outgoing.popLast()
    }

    /// The last appended element; nil also once it has moved to `outgoing`.
    @inlinable public var last: Element? { incoming.last }

    /// Removes the last appended element, if `last` is not nil.
    @inlinable public mutating func popLast() -> Element? {
        incoming.popLast()
    }
}
