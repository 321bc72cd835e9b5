/// First in, first out, in constant time; an element that has left is released at once.
///
/// A slice from which the first is taken would keep it until the last has left.
package struct FIFOQueue<Element> {
    private var incoming: [Element] = []
    /// Those that leave next, in reverse order.
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

    /// What was appended last; nil also where it is one of those that have begun to leave.
    package var last: Element? { incoming.last }

    /// Takes `last` back.
    package mutating func popLast() -> Element? {
        incoming.popLast()
    }
}
