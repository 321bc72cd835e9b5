import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier B: program 15.
    @Suite("B: cancel one", .timeLimit(.minutes(5)))
    struct CancelTests {
        @Test(arguments: ExamHost.all)
        func `15. Cancel one`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let (cancelled, failed) = (Watched<DispatchTime?>(nil), Watched<DispatchTime?>(nil))
                let failure = exam.failure { _, _ in failed.change { $0 = .now() } }
                let operation = try #require(
                    manager.get("delay/5", success: exam.success, failure: failure))
                DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) {
                    cancelled.change { $0 = .now() }
                    operation.cancel()
                    operation.cancel()
                }
                let error = try await exam.error(of: operation)
                let (start, end) = (try #require(cancelled.now), try #require(failed.now))
                #expect(end.uptimeNanoseconds - start.uptimeNanoseconds < 1_000_000_000)
                #expect(error.domain == NSURLErrorDomain && error.code == -999)
                #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == exam.url("delay/5"))
                #expect(operation.isCancelled && operation.isFinished)
                await exam.serverSees("the closed connection") { statistics, _ in
                    statistics.connectionsOpen == 0
                }
                operation.cancel()
                await MainQueue.settle()
                #expect(exam.record.now.order(of: .failure).count == 1)
            }
        }
    }
}
