import OperationNetworking
import TestSupport

extension CompatExam {
    /// Programs beside the exam's list: odd answers, redirects, batches.
    @Suite("Neighbours of the programs", .timeLimit(.minutes(5)))
    struct NeighbourTests {
        /// Wound 36 is kept: an empty or one-space body is success with nil.
        @Test(arguments: ["x/space", "x/empty-json"])
        func `an empty JSON body is success with nil`(path: String) async throws {
            try await Exam.run { exam in
                let operation = exam.manager().get(
                    path, success: exam.success, failure: exam.failure)
                let outcome = try await exam.outcome(of: operation)
                #expect(outcome.error == nil && outcome.object == nil)
            }
        }

        @Test
        func `nulls stay, or go where they are not wanted`() async throws {
            try await Exam.run { exam in
                let manager = exam.manager()
                let kept = manager.get("x/nulls", success: exam.success, failure: exam.failure)
                let first = try await exam.outcome(of: kept)
                #expect(first.value("a") is NSNull && first.value("e", "f") is NSNull)
                let serializer = JSONResponseSerializer()
                serializer.removesKeysWithNullValues = true
                manager.responseSerializer = serializer
                let removed = manager.get("x/nulls", success: exam.success, failure: exam.failure)
                let second = try await exam.outcome(of: removed)
                #expect(second.dictionary.keys.sorted() == ["b", "e"])
                let list = try #require(second.value("b") as? [Any])
                // An array keeps its nulls, and its members lose theirs.
                #expect(list.first is NSNull && list.last as? [String: Int] == ["d": 1])
            }
        }

        @Test
        func `text is decoded by the charset of its type`() async throws {
            try await Exam.run { exam in
                let manager = exam.manager()
                manager.responseSerializer = HTTPResponseSerializer()
                let operation = manager.get(
                    "x/gb18030", success: exam.success, failure: exam.failure)
                try await exam.expectSuccess(of: operation)
                #expect(operation?.responseString == "\u{4f60}\u{597d}")
            }
        }

        @Test
        func `a connection that breaks off is the connection's error, without an object`()
            async throws
        {
            try await Exam.run { exam in
                let operation = exam.manager().get(
                    "x/drop-after?bytes=1000", success: exam.success, failure: exam.failure)
                let error = try await exam.error(of: operation)
                #expect(error.domain == NSURLErrorDomain && error.code == -1005)
                #expect(operation?.responseObject == nil && operation?.responseData == nil)
                #expect(operation?.response?.statusCode == 200)
            }
        }

        @Test
        func `a flaky server answers a program that asks again`() async throws {
            try await Exam.run { exam in
                let manager = exam.manager()
                let codes = Watched<[Int]>([])
                for _ in 0..<3 {
                    let operation = manager.get(
                        "x/flaky?fail=2&id=a", success: exam.success, failure: exam.failure)
                    let outcome = try await exam.outcome(of: operation)
                    codes.change { $0.append(outcome.error?.code ?? 0) }
                }
                #expect(codes.now == [-1011, -1011, 0])
            }
        }

        @Test(arguments: ExamHost.all)
        func `redirects are followed, or stopped by the block`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let followed = manager.get(
                    "redirect/3", success: exam.success, failure: exam.failure)
                let outcome = try await exam.outcome(of: followed)
                #expect(outcome.text("url") == exam.url("get").absoluteString)
                #expect(followed?.response?.url == exam.url("get"))
                let stopped = manager.httpRequestOperation(
                    with: exam.request("redirect/3"), success: exam.success, failure: exam.failure)
                stopped.setRedirectResponseBlock { _, request, response in
                    response == nil ? request : nil
                }
                manager.enqueue(stopped)
                let error = try await exam.error(of: stopped)
                #expect(error.code == -1011 && stopped.response?.statusCode == 302)
            }
        }

        @Test
        func `a request that cannot be built is one failure and no operation`() async throws {
            try await Exam.run { exam in
                // Wounds 38 and 40 are repaired: the original enqueued nil, or raised.
                let manager = exam.manager()
                #expect(
                    manager.get("a b%", success: exam.success, failure: exam.failure) == nil)
                #expect(await exam.outcomes(1).first?.error != nil)
                #expect(manager.operations.isEmpty)
                let event = try #require(exam.record.now.events.first)
                #expect(event.kind == .failure && event.operation == 0 && event.isMain)
            }
        }

        @Test(arguments: ExamHost.all)
        func `a batch tells its progress, and its end once`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let reported = Watched<[Int]>([])
                let ends = Watched<[Int]>([])
                let operations = ["get", "status/404", "headers"].map { path in
                    manager.httpRequestOperation(
                        with: exam.request(path), success: exam.success, failure: exam.failure)
                }
                manager.enqueue(batch: operations) { finished, total in
                    #expect(total == 3)
                    reported.change { $0.append(finished) }
                } completion: { operations in
                    ends.change { $0.append(operations.count) }
                }
                await ends.wait(until: "the batch's end") { $0 == [3] }
                // Once an operation, with the number finished by then: two may tell the same.
                #expect(
                    reported.now.count == 3 && reported.now.last == 3
                        && reported.now.sorted() == reported.now)
                #expect(exam.record.now.outcomes.count == 3)
            }
        }
    }
}
