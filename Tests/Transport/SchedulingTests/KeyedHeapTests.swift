import Scheduling
import TestSupport

@Suite("A heap that knows its keys", .timeLimit(.minutes(1)))
struct KeyedHeapTests {
    @Test(arguments: 0..<20)
    func `the first is always the least of those that are there`(seed: Int) {
        var numbers = SeededNumbers(seed: UInt64(seed))
        var heap = KeyedHeap<Int, Int>()
        var there: [Int: Int] = [:]
        for _ in 0..<500 {
            let key = Int.random(in: 0..<40, using: &numbers)
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0:
                heap.remove(key)
                there[key] = nil
            case 1:
                if let first = heap.removeFirst() {
                    #expect(there.removeValue(forKey: first.key) == first.order)
                }
            default:
                let order = Int.random(in: 0..<1_000, using: &numbers)
                heap.set(key, order)
                there[key] = order
            }
            #expect(heap.first?.order == there.values.min())
        }
    }
}
