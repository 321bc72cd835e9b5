import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier B: program 19 without its Digest part, which comes with the security work.
    @Suite("B: basic auth, two ways", .timeLimit(.minutes(5)))
    struct BasicAuthTests {
        private let path = "basic-auth/u/p"

        private func expectUser(_ outcome: ExamRecord.Outcome) {
            #expect(outcome.text("user") == "u")
            #expect(outcome.value("authenticated") as? Bool == true)
        }

        private func expectUnauthorized(_ outcome: ExamRecord.Outcome) throws {
            let error = try #require(outcome.error)
            #expect(error.domain == NetworkingError.responseSerializationDomain)
            #expect(error.code == -1011)
            let response =
                error.userInfo[NetworkingError.failingURLResponseKey] as? HTTPURLResponse
            #expect(response?.statusCode == 401)
        }

        @Test(arguments: ExamHost.all)
        func `19. (a) a header: one request`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                manager.requestSerializer.setAuthorizationHeaderField(username: "u", password: "p")
                let good = manager.get(path, success: exam.success, failure: exam.failure)
                expectUser(try await exam.outcome(of: good))
                #expect(exam.server?.requests.count ?? 1 == 1)

                manager.requestSerializer.setAuthorizationHeaderField(username: "u", password: "x")
                let wrong = manager.get(path, success: exam.success, failure: exam.failure)
                try expectUnauthorized(try await exam.outcome(of: wrong))
                manager.requestSerializer.clearAuthorizationHeader()
                let none = manager.get("headers", success: exam.success, failure: exam.failure)
                let outcome = try await exam.outcome(of: none)
                #expect(outcome.text("headers", "Authorization") == nil)
                #expect(outcome.text("headers", "Host") != nil)
            }
        }

        @Test(arguments: ExamHost.all)
        func `19. (b) a credential: challenge, then success`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let operation = HTTPRequestOperation(request: exam.request(path))
                operation.credential = URLCredential(user: "u", password: "p", persistence: .none)
                operation.responseSerializer = JSONResponseSerializer()
                exam.watch(operation)
                operation.start()
                expectUser(try await exam.outcome(of: operation))
                if let requests = exam.server?.requests {
                    #expect(requests.map { $0.headers["Authorization"] != nil } == [false, true])
                }
            }
        }
    }
}
