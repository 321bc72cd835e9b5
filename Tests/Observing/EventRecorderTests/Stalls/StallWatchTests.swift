import EventRecorder
import Foundation
import Testing

@Suite("The watch for stalls", .timeLimit(.minutes(1)))
struct StallWatchTests {
    @Test func `the closure of isTold may ask the watch`() async {
        await #expect(processExitsWith: .success) {
            // Where the watch is locked meanwhile, the closure never returns.
            alarm(20)
            let (first, second) = (Operation(), Operation())
            first.addDependency(second)
            second.addDependency(first)
            let queue = OperationQueue()
            for operation in [first, second] { queue.addOperation(operation) }
            let watch = StallWatch(limit: 0.04, queues: [queue]) { _ in }
            let isTold = watch.isTold(within: 10) { watch.stalls.contains($0) }
            _exit(isTold ? 0 : 1)
        }
    }
}
