import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// An operation that waits for another; each answer waits until the one before is over.
    enum Dependencies {
        static let scenarios = [inOrder, afterFailure, firstCancelled, secondCancelled]

        private static let inOrder = Scenario("dependency") { stage in
            let (first, second) = stage.pair("/delay/0.2")
            stage.called("addDependency returned", ["B.isReady": GoldenValue(second.isReady)])
            stage.queue.addOperation(second)
            stage.queue.addOperation(first)
            try await stage.until("A", "start notification")
            #expect(!second.isReady)
            stage.answer("/delay/0.2")
            try await stage.end(of: "A", "B")
        }

        private static let afterFailure = Scenario("dependency-fails") { stage in
            let (first, second) = stage.pair("/status/500")
            #expect(!second.isReady)
            stage.queue.addOperation(second)
            stage.queue.addOperation(first)
            try await stage.end(of: "A", "B")
        }

        private static let firstCancelled = Scenario("dependency-cancel-first") { stage in
            let (first, second) = stage.pair("/delay/0.6")
            #expect(!second.isReady)
            stage.queue.addOperation(first)
            stage.queue.addOperation(second)
            try await stage.until("A", "start notification")
            try await stage.untilServer(reached: "/delay/0.6")
            stage.called("cancel A")
            first.cancel()
            try await stage.end(of: "A", "B")
        }

        private static let secondCancelled = Scenario("dependency-cancel-second") { stage in
            let (first, second) = stage.pair("/delay/0.6")
            #expect(!second.isReady)
            stage.queue.addOperation(first)
            stage.queue.addOperation(second)
            try await stage.until("A", "start notification")
            stage.called("cancel B")
            second.cancel()
            try await stage.end(of: "B")
            #expect(first.isExecuting)
            stage.answer("/delay/0.6")
            try await stage.end(of: "A")
        }
    }
}

extension Stage {
    /// A for that path, and B, which depends on it.
    fileprivate func pair(_ path: String) -> (URLConnectionOperation, URLConnectionOperation) {
        let first = operation("A", path)
        let second = operation("B", "/ok")
        second.addDependency(first)
        return (first, second)
    }
}
