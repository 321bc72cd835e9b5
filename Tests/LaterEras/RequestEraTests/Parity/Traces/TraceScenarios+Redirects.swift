import ParitySupport
import SessionTasks
import TestSupport

@testable import RequestEra

extension TraceScenarios {
    static let redirect: [String: Play] = [
        "redirect/followed": { stage in
            let request = stage.string(stage.get("/redirect/302?to=/ok"))
            await stage.handlers(1)
            stage.log.set("requestPath", .string(request.request?.url?.path ?? ""))
            stage.log.set("responsePath", .string(request.response?.url?.path ?? ""))
        },
        "redirect/refused": { stage in
            redirects(stage) { _ in nil }
            stage.string(stage.get("/redirect/302?to=/ok"))
        },
        "redirect/refused-validate": { stage in
            stage.delegate.taskWillPerformHTTPRedirection = { _, _, _, _ in nil }
            stage.string(stage.get("/redirect/302?to=/ok").validate())
        },
        "redirect/changed": { stage in
            let other = stage.url("/json")
            redirects(stage) { request in
                var request = request
                request.url = URL(string: other)
                return request
            }
            stage.string(stage.get("/redirect/302?to=/ok"))
        },
        "redirect/with-completion-wins": { stage in
            let log = stage.log
            stage.delegate.taskWillPerformHTTPRedirection = { _, _, _, request in
                log.add("redirect", ["without": "completion"])
                return request
            }
            stage.delegate.taskWillPerformHTTPRedirectionWithCompletion = {
                _, _, _, request, completion in
                log.add("with completion")
                completion(request)
            }
            stage.string(stage.get("/redirect/302?to=/ok"))
        },
        "redirect/two": { stage in
            redirects(stage) { $0 }
            stage.string(stage.get("/redirect/301?to=/redirect/302%3Fto%3D/ok"))
        },
        "redirect/post-302": { stage in post(stage, "/redirect/302?to=/echo") },
        "redirect/post-307": { stage in post(stage, "/redirect/307?to=/echo") },
        "redirect/authorization-same-origin": { stage in
            redirects(stage) { request in
                var request = request
                request.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
                return request
            }
            stage.string(
                stage.get("/redirect/302?to=/ok", headers: ["Authorization": "Basic dTpw"]))
        },
    ]

    private static func redirects(
        _ stage: TraceStage, _ next: @escaping @Sendable (URLRequest) -> URLRequest?
    ) {
        let log = stage.log
        stage.delegate.taskWillPerformHTTPRedirection = { _, _, response, request in
            log.add(
                "redirect",
                [
                    "status": .int(response.statusCode),
                    "to": .string(request.url?.path ?? ""),
                ])
            return next(request)
        }
    }

    private static func post(_ stage: TraceStage, _ path: String) {
        stage.string(
            stage.seen(
                stage.current.request(
                    stage.url(path), method: .post, parameters: ["a": "b"])))
    }

    static let auth: [String: Play] = [
        "auth/good": { stage in
            stage.response(stage.get("/auth/u/p").authenticate(user: "u", password: "p"))
        },
        "auth/bad": { stage in
            stage.response(stage.get("/auth/u/p").authenticate(user: "u", password: "wrong"))
        },
        "auth/none": { stage in stage.response(stage.get("/auth/u/p")) },
        "auth/header": { stage in
            let header = Request.authorizationHeader(user: "u", password: "p")
            let headers = header.map { [$0.key: $0.value] } ?? [:]
            stage.response(stage.get("/auth/u/p", headers: headers))
        },
        "auth/challenge-closure": { stage in
            let log = stage.log
            stage.delegate.taskDidReceiveChallenge = { _, _, challenge in
                log.add(
                    "challenge",
                    [
                        "method": .string(challenge.protectionSpace.authenticationMethod),
                        "previousFailures": .int(challenge.previousFailureCount),
                    ])
                return (
                    .useCredential, URLCredential(user: "u", password: "p", persistence: .none)
                )
            }
            stage.response(stage.get("/auth/u/p").authenticate(user: "u", password: "wrong"))
        },
        "auth/challenge-cancelled": { stage in
            let log = stage.log
            stage.delegate.taskDidReceiveChallenge = { _, _, _ in
                log.add("challenge")
                return (.cancelAuthenticationChallenge, nil)
            }
            stage.response(stage.get("/auth/u/p"))
        },
    ]
}
