import OperationNetworking
import TestSupport

extension Parity {
    /// Batches; the answers come one after the other.
    @Suite struct Batches {
        static let scenarios = [five, empty, oneCancelled, oneFails]

        private static let five = Scenario("batch-5", .startsTogether) { stage in
            let names = ["A", "B", "C", "D", "E"]
            let operations = names.enumerated().map {
                stage.operation($1, "/delay/0.\($0 + 1)")
            }
            stage.extra["returnedCount"] = .int(stage.enqueue(operations))
            for name in names { try await stage.until(name, "start notification") }
            for (index, name) in names.enumerated() {
                stage.answer("/delay/0.\(index + 1)")
                try await stage.end(of: name)
            }
            try await stage.endOfBatch()
        }

        private static let empty = Scenario("batch-empty") { stage in
            stage.extra["returnedCount"] = .int(stage.enqueue([]))
            try await stage.endOfBatch()
        }

        private static let oneCancelled = Scenario("batch-cancel-one", .startsTogether) { stage in
            let names = ["A", "B", "C"]
            let operations = names.enumerated().map {
                stage.operation($1, "/delay/0.\($0 + 3)")
            }
            _ = stage.enqueue(operations)
            for name in names { try await stage.until(name, "start notification") }
            try await stage.untilServer(reached: "/delay/0.4")
            stage.called("cancel B")
            operations[1].cancel()
            try await stage.end(of: "B")
            stage.answer("/delay/0.3")
            try await stage.end(of: "A")
            stage.answer("/delay/0.5")
            try await stage.end(of: "C")
            try await stage.endOfBatch()
        }

        private static let oneFails = Scenario(
            "batch-5-one-fails", .eachOperationAlone, from: .description
        ) { stage in
            let names = ["A", "B", "C", "D", "E"]
            let paths = names.enumerated().map { index, name in
                let url = Described.final(of: "batch-5-one-fails", name)["requestURL"]?.string
                return url?.replacing("{base}", with: "")
                    ?? (name == "C" ? "/status/500" : "/delay/0.\(index + 1)")
            }
            let operations = zip(names, paths).map { stage.operation($0, $1) }
            _ = stage.enqueue(operations)
            try await stage.end(of: "C")
            for (name, path) in zip(names, paths) where name != "C" {
                stage.answer(path)
                try await stage.end(of: name)
            }
            try await stage.endOfBatch()
        }

        @Test(arguments: scenarios)
        func `a batch tells what the original told`(scenario: Scenario) async throws {
            try await scenario.run()
        }
    }
}

extension Stage {
    /// Enqueues a batch that records; the number of operations that it returned.
    fileprivate func enqueue(_ operations: [URLConnectionOperation]) -> Int {
        let recorder = recorder
        let wrapped = URLConnectionOperation.batch(
            of: operations,
            progress: { finished, total in
                recorder.record(nil, "batchProgress finished=\(finished) total=\(total)")
            },
            completion: { recorder.record(nil, "batchCompletion count=\($0.count)") })
        if let last = wrapped.last {
            keep(last, Unobservable.batchOperation)
            let signals = signals
            last.completionBlock = { signals.record(nil, "last") }
        }
        for operation in wrapped { queue.addOperation(operation) }
        return wrapped.count
    }

    /// Waits for the completion and for the end of the operation that brought it.
    fileprivate func endOfBatch() async throws {
        try await until(nil, "batchCompletion")
        try await untilSignal("last")
    }
}
