import OperationNetworking
import TestSupport

extension CompatExam {
    /// The exam itself: that it can tell a broken rule, and where it ran.
    @Suite("The exam's own rules", .timeLimit(.minutes(5)))
    struct RuleTests {
        private let operation = HTTPRequestOperation(
            request: URLRequest(url: URL(fileURLWithPath: "/")))
        private let success = ExamRecord.Outcome(object: nil, error: nil)

        /// What a record breaks that was made on main, or on another thread.
        private func broken(
            onMain: Bool = true, _ change: @escaping @Sendable (inout ExamRecord) -> Void
        ) async -> [String] {
            let find = { @Sendable [operation] in
                var record = ExamRecord()
                _ = record.number(of: operation)
                change(&record)
                return ExamRules(record: record, exceptions: Exam.Exceptions()).violations
            }
            guard onMain else { return await onNewThread(find) }
            return await withCheckedContinuation { continuation in
                DispatchQueue.main.async { continuation.resume(returning: find()) }
            }
        }

        @Test
        func `no callback, one too many, one before the end: R1 and R4`() async {
            let (operation, success) = (operation, success)
            #expect(await broken { _ in } == ["R1: operation 1 had 0 callbacks"])
            let early = "R4: operation 1 was called back before its end"
            #expect(await broken { $0.end(operation, .success, success) } == [early])
            let twice = await broken {
                $0.end(operation, .success, success)
                $0.end(operation, .failure, success)
            }
            #expect(twice == ["R1: operation 1 had 2 callbacks", early])
        }

        @Test
        func `a callback off main: R2`() async {
            let (operation, success) = (operation, success)
            let found = await broken(onMain: false) { $0.end(operation, .success, success) }
            #expect(found.first == "R2: operation 1 was called back off main")
        }

        @Test
        func `starts and finishes out of turn, or off main: R3`() async {
            let wrong: [[ExamRecord.Kind]] = [
                [.start], [.finish, .start], [.start, .start, .finish, .finish],
                [.finish, .finish],
            ]
            let operation = operation
            for kinds in wrong {
                let found = await broken { record in
                    kinds.forEach { record.add($0, operation) }
                }
                #expect(found.last == "R3: operation 1 told \(kinds.map { "\($0)" })")
            }
            let right = await broken { record in
                [.start, .finish, .start, .finish].forEach { record.add($0, operation) }
            }
            #expect(right.count == 1)
            let offMain = await broken(onMain: false) { $0.add(.finish, operation) }
            #expect(offMain.last == "R3: operation 1 told off main")
        }

        @Test
        func `an unknown domain, a code and a missing key: R6`() async {
            let errors = [
                NSError(domain: "nobody's", code: 1),
                NSError(domain: NSURLErrorDomain, code: -999),
                NSError(domain: NetworkingError.responseSerializationDomain, code: -1),
            ]
            var found: [String?] = []
            for error in errors {
                let outcome = ExamRecord.Outcome(object: nil, error: error)
                found.append(await broken { $0.end(nil, .failure, outcome) }.last)
            }
            #expect(
                found == [
                    "R6: operation 0 failed with the domain nobody's",
                    "R6: operation 0's error lacks [\"NSErrorFailingURLKey\"]",
                    "R6: operation 0 failed with the code -1",
                ])
        }

        @Test(
            .enabled(
                if: ExamHost.httpbinURL != nil,
                "Set \(ExamHost.environmentVariable) to the address of an httpbin."))
        func `the programs ran against an httpbin too`() async throws {
            let host = try #require(ExamHost.httpbinURL.map { ExamHost.httpbin($0) })
            try await Exam.run(host) { exam in
                let operation = exam.manager().get(
                    "get", success: exam.success, failure: exam.failure)
                let outcome = try await exam.outcome(of: operation)
                #expect(outcome.text("url") != nil && exam.server == nil)
            }
        }
    }
}
