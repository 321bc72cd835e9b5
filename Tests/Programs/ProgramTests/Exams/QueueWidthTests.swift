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
    }
}
