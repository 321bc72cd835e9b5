import OperationNetworking
import TestSupport

extension Parity {
    /// Cancelling before there is a connection.
    @Suite struct Cancelling {
        static let scenarios = [
            beforeEnqueue, beforeStart, inSuspendedQueue, afterStart, onExecuting,
        ]

        private static let beforeEnqueue = Scenario("cancel-before-enqueue") { stage in
            let operation = stage.operation("A", "/ok")
            operation.cancel()
            stage.called("cancel returned")
            await stage.holdingNetworkThread {
                stage.queue.addOperation(operation)
                stage.called("addOperation returned")
            }
            try await stage.end(of: "A")
        }

        private static let beforeStart = Scenario("cancel-before-direct-start") { stage in
            let operation = stage.operation("A", "/ok")
            operation.cancel()
            stage.called("cancel returned")
            await stage.holdingNetworkThread {
                operation.start()
                stage.called("start returned")
            }
            try await stage.end(of: "A")
        }

        private static let inSuspendedQueue = Scenario("cancel-after-enqueue-suspended") { stage in
            let operation = stage.operation("A", "/ok")
            stage.queue.isSuspended = true
            stage.queue.addOperation(operation)
            operation.cancel()
            stage.called("cancel returned")
            await stage.rest()
            stage.called("queue resumed")
            stage.queue.isSuspended = false
            try await stage.end(of: "A")
        }

        private static let afterStart = Scenario("cancel-right-after-start") { stage in
            let operation = stage.operation("A", "/delay/0.3")
            await stage.holdingNetworkThread {
                operation.start()
                stage.called("start returned")
                operation.cancel()
                stage.called("cancel returned")
            }
            try await stage.end(of: "A")
        }

        private static let onExecuting = Scenario("cancel-on-isExecuting") { stage in
            let operation = stage.operation("A", "/delay/0.3")
            let record = operation.stateObserver
            operation.stateObserver = { [weak operation] change in
                record?(change)
                if change.keyPath == "isExecuting", change.isTrue { operation?.cancel() }
            }
            stage.queue.addOperation(operation)
            try await stage.end(of: "A")
        }

        @Test(arguments: scenarios)
        func `an operation cancelled early shows what the original showed`(scenario: Scenario)
            async throws
        {
            try await scenario.run()
        }
    }
}
