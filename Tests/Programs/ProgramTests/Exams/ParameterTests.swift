import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier C: program 24.
    @Suite("C: nested parameters", .timeLimit(.minutes(5)))
    struct ParameterTests {
        private static let date = Date(timeIntervalSince1970: 86_400)

        private static var parameters: [String: Any] {
            [
                "z": ["b": 1, "a": ["deep": "x y"]] as [String: Any],
                "list": [1, "two", 3.5] as [Any],
                "set": Set(["c", "a", "b"]),
                "null": NSNull(),
                "yes": true, "no": false,
                "number": NSNumber(value: 7),
                "date": date,
                "empty": [String]() as Any,
                "none": String?.none as Any,
            ]
        }

        /// Keys sorted at each level; sets sorted; null a bare key; empty containers nothing.
        private static let wanted = [
            "date=1970-01-02%2000%3A00%3A00%20%2B0000",
            "list%5B%5D=1", "list%5B%5D=two", "list%5B%5D=3.5",
            "no=0", "none", "null", "number=7",
            "set=a", "set=b", "set=c",
            "yes=1",
            "z%5Ba%5D%5Bdeep%5D=x%20y", "z%5Bb%5D=1",
        ].joined(separator: "&")

        private func expectEcho(_ echoed: Any?) throws {
            let values = try #require(echoed as? [String: Any])
            #expect(values["list[]"] as? [String] == ["1", "two", "3.5"])
            #expect(values["set"] as? [String] == ["a", "b", "c"])
            #expect(values["z[a][deep]"] as? String == "x y" && values["z[b]"] as? String == "1")
            #expect(values["null"] as? String == "" && values["yes"] as? String == "1")
            #expect(values["date"] as? String == "1970-01-02 00:00:00 +0000")
        }

        @Test(arguments: ExamHost.all)
        func `24. Nested parameters in the URL`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let operation = exam.manager().get(
                    "get", parameters: Self.parameters, success: exam.success,
                    failure: exam.failure)
                try expectEcho(try await exam.outcome(of: operation).value("args"))
                #expect(operation?.request.url?.query == Self.wanted)
                let target = exam.server?.requests.first?.target
                #expect(target ?? "/get?\(Self.wanted)" == "/get?\(Self.wanted)")
            }
        }

        @Test(arguments: ExamHost.all)
        func `24. Nested parameters in the body`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let operation = exam.manager().post(
                    "post", parameters: Self.parameters, success: exam.success,
                    failure: exam.failure)
                try expectEcho(try await exam.outcome(of: operation).value("form"))
                #expect(operation?.request.httpBody == Data(Self.wanted.utf8))
                let body = exam.server?.requests.first?.body
                #expect(body ?? Data(Self.wanted.utf8) == Data(Self.wanted.utf8))
            }
        }

        @Test
        func `24. Every run gives the same bytes`() throws {
            let serializer = HTTPRequestSerializer()
            for _ in 0..<100 {
                let request = try serializer.request(
                    method: "GET", urlString: "http://127.0.0.1/", parameters: Self.parameters)
                #expect(request.url?.query == Self.wanted)
            }
        }
    }
}
