/// A queue whose elements may leave before they are first. All operations take constant time, and the
/// elements that left take no more memory than those that wait.
public struct WaitingLine<Element> {
    // Public and inlinable, as all of it, so that the compiler makes code for the caller's own type of elements.

    @usableFromInline var elements: [Element] = []
    @usableFromInline var start = 0
    @usableFromInline var gone = 0
    @usableFromInline let hasLeft: (Element) -> Bool

    /// - Parameter hasLeft: whether an element has left; `noteLeaving` is called for each that does.
    @inlinable public init(hasLeft: @escaping (Element) -> Bool) {
        self.hasLeft = hasLeft
    }

    /// Whether none waits.
    @inlinable public var isEmpty: Bool { elements.count - start == gone }

    /// Adds an element behind all others.
    @inlinable public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// An element has left.
    @inlinable public mutating func noteLeaving() {
        gone += 1
        guard gone > 32, gone * 2 > elements.count - start else { return }
        elements = elements[start...].filter { !hasLeft($0) }
        start = 0
        gone = 0
    }

    /// The first element that has not left; those before it are dropped.
    @inlinable public mutating func first() -> Element? {
        while start < elements.count {
            guard hasLeft(elements[start]) else { return elements[start] }
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
        start += 1
        guard start > 32, start * 2 > elements.count else { return }
        elements.removeFirst(start)
        start = 0
    }
}
