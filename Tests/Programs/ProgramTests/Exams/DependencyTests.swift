import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier C: program 28.
    @Suite("C: dependencies", .timeLimit(.minutes(5)))
    struct DependencyTests {
        private func operation(_ exam: Exam, _ path: String) -> HTTPRequestOperation {
            let operation = HTTPRequestOperation(request: exam.request(path))
            exam.watch(operation)
            return operation
        }

        @Test
        func `28. A chain of three, added in reverse order`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let first = operation(exam, exam.gate("a"))
                let second = operation(exam, exam.gate("b"))
                let third = operation(exam, exam.gate("c"))
                second.addDependency(first)
                third.addDependency(second)
                let queue = OperationQueue()
                for operation in [third, second, first] { queue.addOperation(operation) }
                for (gate, operation, before) in [
                    ("a", first, nil), ("b", second, first), ("c", third, second),
                ] {
                    await exam.reached(gate)
                    // The request left only after the one before had finished.
                    #expect(before?.isFinished != false && !operation.isFinished)
                    server.release(gate)
                }
                #expect(await exam.outcomes(3).allSatisfy { $0.error == nil })
                #expect(server.requests.map(\.path) == ["/held/a", "/held/b", "/held/c"])
                #expect(server.statistics.peakInFlight == 1)
            }
        }

        @Test(arguments: ExamHost.all)
        func `28. A dependency that fails releases what waits`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let first = operation(exam, "status/500")
                let second = operation(exam, "get")
                second.addDependency(first)
                let queue = OperationQueue()
                for operation in [second, first] { queue.addOperation(operation) }
                let error = try await exam.error(of: first)
                #expect(error.code == -1011)
                try await exam.expectSuccess(of: second)
            }
        }

        @Test(arguments: ExamHost.all)
        func `28. A dependency that is cancelled releases what waits`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let first = operation(exam, "delay/5")
                let second = operation(exam, "get")
                second.addDependency(first)
                let queue = OperationQueue()
                for operation in [second, first] { queue.addOperation(operation) }
                await exam.record.wait(until: "the start") { !$0.order(of: .start).isEmpty }
                first.cancel()
                let error = try await exam.error(of: first)
                #expect(error.code == NSURLErrorCancelled)
                try await exam.expectSuccess(of: second)
            }
        }

        /// Wound 24 is kept: no order is promised between A's success and B's start.
        @Test
        func `28. B may start before A's success block`() async throws {
            try await Exam.run { exam in
                exam.allow { $0.otherQueue = true }
                let first = operation(exam, "get")
                let second = operation(exam, "get?second")
                second.addDependency(first)
                let callbacks = DispatchQueue(label: "held")
                callbacks.suspend()
                first.completionQueue = callbacks
                let queue = OperationQueue()
                for operation in [second, first] { queue.addOperation(operation) }
                try await exam.expectSuccess(of: second)
                let known = exam.record.now.known(first)
                #expect(known.map { exam.record.now.outcomes[$0] == nil } == true)
                callbacks.resume()
                try await exam.expectSuccess(of: first)
            }
        }

        @Test
        func `28. B may start after A's success block`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let first = operation(exam, exam.gate("first"))
                let second = operation(exam, "get")
                second.addDependency(first)
                let queue = OperationQueue()
                for operation in [second, first] { queue.addOperation(operation) }
                await exam.reached("first")
                queue.isSuspended = true
                server.release("first")
                try await exam.expectSuccess(of: first)
                #expect(!second.isExecuting && !second.isFinished)
                queue.isSuspended = false
                try await exam.expectSuccess(of: second)
            }
        }
    }
}
