/// A binary heap of elements by their due time, the next first; of equal times the first that was
/// added.
package struct DueTimes<Moment: Comparable, Element> {
    private var heap: [(moment: Moment, number: Int, element: Element)] = []
    private var added = 0

    package init() {}

    package var next: Moment? { heap.first?.moment }

    package var count: Int { heap.count }

    /// In no order.
    package var elements: [Element] { heap.map(\.element) }

    package mutating func add(_ element: Element, at moment: Moment) {
        added += 1
        heap.append((moment, added, element))
        var index = heap.count - 1
        while index > 0, isSooner(index, (index - 1) / 2) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    package mutating func take(until now: Moment) -> Element? {
        guard let first = heap.first, first.moment <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && isSooner(child, least) {
                least = child
            }
            if least == index { return first.element }
            heap.swapAt(index, least)
            index = least
        }
    }

    package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        // A sorted list is a heap.
        heap = heap.filter { !isUnwanted($0.element) }
            .sorted { ($0.moment, $0.number) < ($1.moment, $1.number) }
    }

    private func isSooner(_ one: Int, _ other: Int) -> Bool {
        (heap[one].moment, heap[one].number) < (heap[other].moment, heap[other].number)
    }
}
