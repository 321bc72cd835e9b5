import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier A: programs 8 to 10.
    @Suite("A: verbs, lone operations, the shared client", .timeLimit(.minutes(5)))
    struct OwnTermsTests {
        // MARK: 8

        @Test(arguments: ExamHost.all)
        func `8. All verbs`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let success = exam.success
                let head = manager.head(
                    "anything", parameters: ["q": "1"],
                    success: { operation in success(operation, nil) }, failure: exam.failure)
                try await exam.expectSuccess(of: head)
                #expect(head?.request.httpMethod == "HEAD" && head?.response?.statusCode == 200)
                #expect(head?.responseData?.isEmpty != false && head?.responseObject == nil)

                let put = manager.put(
                    "anything", parameters: ["q": "1"], success: exam.success,
                    failure: exam.failure)
                try await expectForm(exam, put, "PUT")
                let patch = manager.patch(
                    "anything", parameters: ["q": "1"], success: exam.success,
                    failure: exam.failure)
                try await expectForm(exam, patch, "PATCH")
                let delete = manager.delete(
                    "anything", parameters: ["q": "1"], success: exam.success,
                    failure: exam.failure)
                let outcome = try await exam.outcome(of: delete)
                #expect(outcome.text("method") == "DELETE")
                #expect(outcome.value("args") as? [String: String] == ["q": "1"])
                #expect((outcome.value("form") as? [String: Any])?.isEmpty == true)
                #expect(delete?.request.url == exam.url("anything?q=1"))

                let mute = try #require(
                    manager.put(
                        "anything", parameters: ["q": "1"], success: nil, failure: nil))
                exam.isSilent(mute)
                await exam.record.wait(until: "the end of the silent one") { record in
                    record.known(mute).map { record.kinds(of: $0) } == [.start, .finish]
                }
                #expect(mute.isFinished && mute.error == nil)
            }
        }

        private func expectForm(
            _ exam: Exam, _ operation: HTTPRequestOperation?, _ method: String
        ) async throws {
            let outcome = try await exam.outcome(of: operation)
            #expect(outcome.text("method") == method)
            #expect(outcome.value("form") as? [String: String] == ["q": "1"])
            #expect((outcome.value("args") as? [String: Any])?.isEmpty == true)
        }

        // MARK: 9

        @Test(arguments: ExamHost.all)
        func `9. An operation on its own`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let states = Watched<[String]>([])
                let operation = HTTPRequestOperation(request: exam.request("get?a=1"))
                // What key-value observing shows elsewhere; it does not exist here.
                operation.stateObserver = { state in
                    states.change { if state.isTrue { $0.append(state.keyPath) } }
                }
                operation.responseSerializer = JSONResponseSerializer()
                exam.watch(operation)
                #expect(operation.isReady && !operation.isExecuting && !operation.isFinished)
                operation.start()
                let outcome = try await exam.outcome(of: operation)
                #expect(outcome.text("args", "a") == "1")
                #expect(states.now == ["isExecuting", "isFinished"])

                operation.start()
                await MainQueue.settle()
                #expect(states.now == ["isExecuting", "isFinished"] && operation.isFinished)
                #expect(exam.server?.requests.count ?? 1 == 1)

                #expect(operation.responseObject is [String: Any])
                operation.responseSerializer = HTTPResponseSerializer()
                let data = try #require(operation.responseData)
                #expect(operation.responseObject as? Data == data)
            }
        }

        @Test(arguments: ExamHost.all)
        func `9. Without a serializer the object is data`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let operation = HTTPRequestOperation(request: exam.request("get?a=1"))
                exam.watch(operation)
                operation.start()
                let data = try await exam.outcome(of: operation).object as? Data
                #expect(data != nil && data == operation.responseData)
            }
        }

        // MARK: 10

        @Test
        func `10. The shared client is one instance from 50 threads`() async {
            let seen = Watched<[ObjectIdentifier]>([])
            for _ in 0..<50 {
                Thread.detachNewThread {
                    let client = ObjectIdentifier(SharedClient.shared)
                    seen.change { $0.append(client) }
                }
            }
            await seen.wait(until: "50 threads") { $0.count == 50 }
            #expect(Set(seen.now).count == 1)
        }

        @Test(arguments: ExamHost.all)
        func `10. A client's own init, verb and typed method are used`(host: ExamHost) async throws
        {
            try await Exam.run(host) { exam in
                #expect(SharedClient().requestSerializer is JSONRequestSerializer)
                #expect(SharedClient().baseURL == nil)
                let client = SharedClient(baseURL: exam.base)
                let base: HTTPRequestOperationManager = client
                let plain = base.get(
                    "get", parameters: ["a": "1"], success: exam.success, failure: exam.failure)
                let outcome = try await exam.outcome(of: plain)
                // The override adds a parameter of its own.
                #expect(outcome.value("args") as? [String: String] == ["a": "1", "key": "k"])
                #expect(outcome.text("headers", "X-Client") == "exam")

                let names = Watched<[String]>([])
                let typed = client.names(exam.success, exam.failure) { found in
                    names.change { $0 = found }
                }
                _ = try await exam.outcome(of: typed)
                await names.wait(until: "the names") { $0 == ["key", "name"] }
            }
        }

        @Test(arguments: ExamHost.all)
        func `10. Three lines are a client`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                #expect(ShortestClient.shared === ShortestClient.shared)
                let url = exam.url("get").absoluteString
                let operation = ShortestClient.shared.get(
                    url, success: exam.success, failure: exam.failure)
                let outcome = try await exam.outcome(of: operation)
                #expect(outcome.text("url") == url)
            }
        }
    }
}
