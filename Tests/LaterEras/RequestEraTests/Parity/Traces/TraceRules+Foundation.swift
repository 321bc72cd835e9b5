import Foundation
import ParitySupport

extension TraceRules {
    /// What Foundation on Linux decided, where the case is marked so.
    static let foundations: [TraceRule] = [
        TraceRule(
            .foundation, "a suspended transfer is held, and the server is asked once",
            ["start/suspend-resume"]
        ) { $0.serverSaw(1) },
        TraceRule(
            .foundation, "a response after a challenge is without the body of the 401",
            ["auth/good", "auth/challenge-closure"]
        ) { $0.end(with: 2) },
        TraceRule(
            .foundation, "a cancelled challenge leaves no response", ["auth/challenge-cancelled"]
        ) { expected in
            expected.end(with: 0)
            expected.set("handler", ["status": .absent])
            expected.forgetStatus()
        },
        TraceRule(
            .foundation, "no content type is made up for an upload",
            [
                "upload/stream", "upload/request-body-ignored", "upload/stream-length",
                "override/taskNeedNewBodyStream", "retry/upload-stream",
            ]
        ) { expected in
            let saw = (expected.final["serverSaw"]?.elements ?? []).map {
                $0.setting(["Content-Type": nil])
            }
            expected.final["serverSaw"] = .array(saw)
            let type = #""application/x-www-form-urlencoded""#
            for index in expected.events.indices {
                guard let value = expected.events[index]["value"]?.string, value.contains(type)
                else { continue }
                let bare = value.replacingOccurrences(of: type, with: "null")
                expected.set("handler", ["value": .string(bare)])
                expected.end(with: bare.count)
            }
        },
        TraceRule(
            .foundation, "how many bytes have come when a request is cancelled", ["cancel/mid-body"]
        ) { $0.setEnd(["responseDataCount": 1_000]) },
        TraceRule(
            .foundation, "a download's response is known before its end",
            ["cancel/download-without-resume-data"]
        ) { expected in
            expected.set("handler", ["status": 200])
            expected.setState([
                "status": 200,
                "description": "GET {base}/bytes/4000?parts=4&ms=100&held=1&k={k} (200)",
            ])
        },
        TraceRule(
            .foundation, "resume data that is none has an error that says why",
            ["download/resume-garbage"]
        ) { expected in
            let error: GoldenValue = "OperationNetworking.SessionError 6"
            expected.set("handler", ["error": error])
            expected.setState(["error": error])
        },
    ]
}
