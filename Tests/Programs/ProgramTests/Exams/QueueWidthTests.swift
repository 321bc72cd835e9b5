import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import Testing

extension CompatExam {
    /// Tier B: program 17.
    @Suite("B: queue width", .timeLimit(.minutes(5)))
    struct QueueWidthTests {
        @Test
        func `17. Eight requests, two at a time`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let manager = exam.manager()
                manager.operationQueue.maxConcurrentOperationCount = 2
                let start = DispatchTime.now()
                for index in 0..<8 {
                    let operation = manager.get(
                        "x/peak?ms=300", parameters: ["i": index], success: exam.success,
                        failure: exam.failure)
                    exam.number(operation)
                }
                let outcomes = await exam.outcomes(8)
                let seconds =
                    Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
                #expect(outcomes.count == 8 && seconds >= 1.2)
                #expect(outcomes.allSatisfy { ($0.value("peak") as? Int ?? 9) <= 2 })
                #expect(server.statistics.peakInFlight <= 2)
                exam.expectStartsInOrder(width: 2)
            }
        }

        @Test
        func `17. One at a time, they start in the order in which they were added`() async throws {
            try await Exam.run { exam in
                let manager = exam.manager()
                manager.operationQueue.maxConcurrentOperationCount = 1
                for _ in 0..<20 {
                    exam.number(manager.get("get", success: exam.success, failure: exam.failure))
                }
                let outcomes = await exam.outcomes(20)
                #expect(outcomes.count == 20)
                exam.expectStartsInOrder(width: 1)
            }
        }

        @Test
        func `17. A wider queue takes effect at once`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let manager = exam.manager()
                manager.operationQueue.maxConcurrentOperationCount = 2
                let path = exam.gate("wider")
                for _ in 0..<6 {
                    manager.get(path, success: exam.success, failure: exam.failure)
                }
                await exam.reached("wider", count: 2)
                #expect(server.statistics.requests == 2)
                manager.operationQueue.maxConcurrentOperationCount = 5
                await exam.reached("wider", count: 5)
                #expect(server.statistics.requests == 5)
                server.release("wider")
                #expect(await exam.outcomes(6).count == 6)
            }
        }

        @Test
        func `17. Managers that share a queue share its width`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let (first, second) = (exam.manager(), exam.manager())
                first.operationQueue.maxConcurrentOperationCount = 2
                second.operationQueue = first.operationQueue
                for _ in 0..<3 {
                    first.get("x/peak?ms=60", success: exam.success, failure: exam.failure)
                    second.get("x/peak?ms=60", success: exam.success, failure: exam.failure)
                }
                #expect(await exam.outcomes(6).count == 6)
                #expect(server.statistics.peakInFlight == 2)
            }
        }

        /// As documented: a limit belongs to a manager's queue.
        @Test
        func `17. A manager per call knows no limit of the others`() async throws {
            try await Exam.run { exam in
                let path = exam.gate("many")
                for _ in 0..<5 {
                    let manager = exam.manager()
                    manager.operationQueue.maxConcurrentOperationCount = 1
                    manager.get(path, success: exam.success, failure: exam.failure)
                }
                await exam.reached("many", count: 5)
                try exam.loopback().release("many")
                #expect(await exam.outcomes(5).count == 5)
            }
        }
    }
}
