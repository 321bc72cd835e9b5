import Foundation

/// Pure: moments with what is due then, the next first. A binary heap.
struct DueTimes<Element> {
    private var heap: [(date: Date, element: Element)] = []

    var next: Date? { heap.first?.date }
    var count: Int { heap.count }

    mutating func add(_ element: Element, at date: Date) {
        heap.append((date, element))
        var index = heap.count - 1
        while index > 0, heap[index].date < heap[(index - 1) / 2].date {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes one whose moment has come.
    mutating func take(until now: Date) -> Element? {
        guard let first = heap.first, first.date <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].date < heap[$1].date }),
                heap[least].date < heap[index].date
            else { return first.element }
            heap.swapAt(index, least)
            index = least
        }
    }
}
