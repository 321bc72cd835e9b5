import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Redirects and challenges.
    enum Questions {
        static let scenarios = [
            Successes.plain("redirect-noblock", "/redirect/1"),
            redirect("redirect-block-follow") { request, _ in request },
            redirect("redirect-block-modify") { request, response in
                var request = request
                if let response {
                    request.url = URL(string: "/json", relativeTo: response.url)?.absoluteURL
                }
                return request
            },
            redirect("redirect-block-stop") { request, response in response == nil ? request : nil
            },
            redirect("redirect-post-307", "/redirect/1?to=/upload&code=307", "POST") { request, _ in
                request
            },
            wrongCredential,
            challenge("auth-block-good") { challenge in
                challenge.sender?.use(
                    URLCredential(user: "user", password: "pass", persistence: .none),
                    for: challenge)
            },
            challenge("auth-block-cancel") { $0.sender?.cancel($0) },
            challenge("auth-block-bad-then-cancel", from: .description) { challenge in
                guard challenge.previousFailureCount < 2 else {
                    challenge.sender?.cancel(challenge)
                    return
                }
                challenge.sender?.use(
                    URLCredential(user: "user", password: "wrong", persistence: .none),
                    for: challenge)
            },
            challenge(
                "auth-block-overrides-credential", from: .description,
                credential: URLCredential(user: "user", password: "pass", persistence: .none)
            ) { $0.sender?.continueWithoutCredential(for: $0) },
        ]

        private static func redirect(
            _ id: String, _ path: String = "/redirect/1", _ method: String = "GET",
            _ decide: @escaping @Sendable (URLRequest, URLResponse?) -> URLRequest?
        ) -> Scenario {
            Scenario(id) { stage in
                let operation = stage.operation("A", path, method: method)
                let recorder = stage.recorder
                let base = String(stage.server.baseURL.absoluteString.dropLast())
                operation.setRedirectResponseBlock { _, request, response in
                    let status = (response as? HTTPURLResponse)?.statusCode
                    recorder.record(
                        nil,
                        Event.marker(
                            "redirectBlock",
                            [
                                "method": GoldenValue(request.httpMethod),
                                "redirectStatus": status.map { .int($0) } ?? .null,
                                "url": GoldenValue(
                                    request.url?.absoluteString.replacing(base, with: "{base}")),
                            ]))
                    return decide(request, response)
                }
                try await stage.runToEnd(operation)
            }
        }

        private static let wrongCredential = Scenario("auth-bad") { stage in
            let operation = stage.operation("A", "/auth")
            operation.credential = URLCredential(
                user: "user", password: "wrong", persistence: .none)
            try await stage.runToEnd(operation)
            // The wrong credential is tried once.
            #expect(stage.server.requests.count == 2)
        }

        private static func challenge(
            _ id: String, from source: Scenario.Source = .recording,
            credential: URLCredential? = nil,
            _ answer: @escaping @Sendable (URLAuthenticationChallenge) -> Void
        ) -> Scenario {
            Scenario(id, from: source) { stage in
                let operation = stage.operation("A", "/auth")
                operation.credential = credential
                let recorder = stage.recorder
                operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                    let space = challenge.protectionSpace
                    recorder.record(
                        nil,
                        Event.marker(
                            "authBlock",
                            [
                                "failures": .int(challenge.previousFailureCount),
                                "method": .string(space.authenticationMethod),
                                "realm": GoldenValue(space.realm),
                            ]))
                    answer(challenge)
                }
                try await stage.runToEnd(operation)
            }
        }
    }
}
