import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Answers that come whole, in pieces, or empty.
    enum Successes {
        static let scenarios =
            [
                plain("success-200", "/ok", progress: true), json("success-json", "/json"),
                plain("success-204", "/status/204", progress: true),
                json("success-204-json", "/status/204"),
                plain("chunked", "/chunked?n=4&delay=0.08", progress: true),
                plain("drip-progress", "/drip?n=4&size=1000&delay=0.08", progress: true),
            ] + [mainQueue, suspendedQueue, directStart, stringEncoding]

        /// One operation on a queue.
        static func plain(_ id: String, _ path: String, progress: Bool = false) -> Scenario {
            Scenario(id) { stage in
                let operation = stage.operation("A", path)
                if progress { stage.recordProgress(of: operation, "A") }
                try await stage.runToEnd(operation)
            }
        }

        /// The same with the JSON serializer.
        static func json(_ id: String, _ path: String) -> Scenario {
            Scenario(id) { stage in
                let operation = stage.operation("A", path)
                operation.responseSerializer = JSONResponseSerializer()
                try await stage.runToEnd(operation)
            }
        }

        /// The same with an operation of the base class.
        static func connection(_ id: String, _ path: String) -> Scenario {
            Scenario(id) { stage in
                stage.queue.addOperation(stage.connectionOperation("A", path))
                try await stage.end(of: "A")
            }
        }

        private static let mainQueue = Scenario("operation-mainQueue") { stage in
            OperationQueue.main.addOperation(stage.operation("A", "/ok"))
            try await stage.end(of: "A")
        }

        private static let suspendedQueue = Scenario("suspended-then-resumed") { stage in
            let operation = stage.operation("A", "/ok")
            stage.queue.isSuspended = true
            stage.queue.addOperation(operation)
            await stage.rest()
            stage.called(
                "resume queue",
                [
                    "isExecuting": GoldenValue(operation.isExecuting),
                    "isReady": GoldenValue(operation.isReady),
                ])
            stage.queue.isSuspended = false
            try await stage.end(of: "A")
        }

        private static let directStart = Scenario("direct-start") { stage in
            let operation = stage.operation("A", "/ok")
            await stage.holdingNetworkThread {
                operation.start()
                stage.called("start returned", ["isExecuting": GoldenValue(operation.isExecuting)])
            }
            try await stage.end(of: "A")
        }

        private static let stringEncoding = Scenario("stringEncoding") { stage in
            let operation = stage.operation("A", "/ok")
            stage.called(
                "before",
                [
                    "responseString": GoldenValue(operation.responseString),
                    "responseStringEncoding": .int(
                        Int(operation.responseStringEncoding?.rawValue ?? 0)),
                ])
            try await stage.runToEnd(operation)
        }
    }
}
