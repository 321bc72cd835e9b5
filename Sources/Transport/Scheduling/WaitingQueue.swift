/// A queue whose elements may leave before they are first. All operations take constant time, and the
/// elements that left take no more memory than those that wait.
public struct WaitingQueue<Element> {
    // Public and inlinable, as all of it, so that the compiler makes code for the caller's own type of elements.

    /// Those before `start` are nil, so that nothing is retained that was removed.
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

    /// How many wait.
    @inlinable public var count: Int { elements.count - start - gone }

    /// Whether none waits.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// Adds an element.
    @inlinable public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Removes the element that was added last, and has not left.
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
