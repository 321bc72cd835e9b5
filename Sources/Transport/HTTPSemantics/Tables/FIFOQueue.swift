/// First in, first out, in constant time; a removed element is released at once.
///
/// An `ArraySlice` would keep removed elements until the last one is removed.
package struct FIFOQueue<Element> {
    private var incoming: [Element] = []
    /// Elements to be removed next, in reverse order.
    private var outgoing: [Element] = []

    package init() {}

    package var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    package mutating func append(_ element: Element) {
        incoming.append(element)
    }

    package mutating func popFirst() -> Element? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming = []
        }
        return outgoing.popLast()
    }

    /// The last appended element; nil also once it has moved to `outgoing`.
    package var last: Element? { incoming.last }

    package mutating func popLast() -> Element? {
        incoming.popLast()
    }
}
