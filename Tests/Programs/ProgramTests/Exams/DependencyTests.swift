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
    }
}
