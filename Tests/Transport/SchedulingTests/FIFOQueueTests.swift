import TestSupport

@testable import Scheduling

@Suite("First in, first out", .timeLimit(.minutes(1)))
struct FIFOQueueTests {
    @Test func `elements leave in the order in which they came, for any sequence of calls`() {
        var random = SeededNumbers(seed: 30)
        var queue = FIFOQueue<Int>()
        var model: [Int] = []
        for number in 0..<10_000 {
            if Int.random(in: 0..<5, using: &random) < 3 {
                queue.append(number)
                model.append(number)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.isEmpty == model.isEmpty)
        }
    }

    @Test func `only what came last is taken back`() {
        var queue = FIFOQueue<Int>()
        #expect(queue.last == nil && queue.popLast() == nil)
        for number in 1...3 { queue.append(number) }
        #expect(queue.last == 3 && queue.popLast() == 3)
        #expect(queue.popFirst() == 1)
        #expect(queue.last == nil && queue.popLast() == nil)
        #expect(queue.popFirst() == 2 && queue.isEmpty)
    }

    @Test func `an element that has left is released, though others wait`() {
        let gone = Signal()
        var queue = FIFOQueue<Sentinel>()
        queue.append(Sentinel(gone))
        queue.append(Sentinel(Signal()))
        _ = queue.popFirst()
        #expect(gone.count == 1)
    }
}
