import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Copies, and operations that nobody starts.
    enum Copies {
        static let scenarios = [running, paused, dropped]

        private static let running = Scenario("copy-running") { stage in
            let operation = stage.operation("A", "/delay/0.3")
            stage.queue.addOperation(operation)
            try await stage.untilServer(reached: "/delay/0.3")
            let copy = try #require(operation.copy() as? HTTPRequestOperation)
            stage.extra["copyState"] = [
                "completionBlockNil": GoldenValue(copy.completionBlock == nil),
                "isExecuting": GoldenValue(copy.isExecuting), "isReady": GoldenValue(copy.isReady),
            ]
            stage.answer("/delay/0.3")
            try await stage.end(of: "A")
        }

        private static let paused = Scenario("copy-paused") { stage in
            let operation = stage.operation("A", "/drip?n=5&size=1000&delay=0.1")
            try await stage.receive(3_000, of: operation, isRecorded: false)
            operation.pause()
            let copy = try #require(operation.copy() as? HTTPRequestOperation)
            stage.extra["copy"] = .object(
                stage.range(of: copy, "Range").merging([
                    "isPaused": GoldenValue(copy.isPaused), "isReady": GoldenValue(copy.isReady),
                ]) { $1 })
            operation.resume()
            try await stage.end(of: "A", finishes: 2)
            stage.expectRange("bytes=3000-")
        }

        private static let dropped = Scenario("dealloc-never-started-no-completion") { stage in
            weak var dropped: HTTPRequestOperation?
            do {
                let operation = HTTPRequestOperation(
                    request: URLRequest(url: stage.server.url("/ok")))
                dropped = operation
            }
            stage.extra["deallocated"] = GoldenValue(dropped == nil)
        }
    }
}
