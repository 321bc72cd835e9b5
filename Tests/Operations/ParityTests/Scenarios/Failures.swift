import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Bad statuses, which are no errors of the base operation, and transport errors, which are.
    enum Failures {
        static let scenarios = [
            Successes.plain("status-404", "/status/404", progress: true),
            Successes.json("status-500-json", "/status/500?json=1"),
            Successes.connection("connection-op-404", "/status/404"),
            Successes.json("serializer-bad-json", "/badjson"),
            Successes.json("serializer-bad-type", "/ok"), setLazily,
            Successes.plain("truncated-body", "/truncated", progress: true),
            Successes.plain("garbage-reply", "/garbage"),
            elsewhere("connection-refused", "http://127.0.0.1:1/x"),
            elsewhere("host-not-found", "http://no-such-host.invalid/x"),
        ]

        private static let setLazily = Scenario("error-set-lazily") { stage in
            let operation = stage.operation("A", "/status/404")
            operation.completionBlock = nil
            stage.queue.addOperation(operation)
            try await stage.until("A", "finish notification")
            stage.called(
                "error before touching responseObject",
                ["error": GoldenValue(ErrorRecord.text(of: operation.error) ?? "-")])
            let object = operation.responseObject
            stage.called(
                "error after touching responseObject",
                [
                    "error": GoldenValue(ErrorRecord.text(of: operation.error) ?? "-"),
                    "objectClass": Seen.className(of: object),
                ])
        }

        /// A request that does not reach the server.
        private static func elsewhere(_ id: String, _ address: String) -> Scenario {
            Scenario(id) { stage in
                let url = try #require(URL(string: address))
                stage.queue.addOperation(stage.operation("A", URLRequest(url: url)))
                try await stage.end(of: "A")
            }
        }
    }
}
