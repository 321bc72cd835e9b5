import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct RetryAfterOneSecond: Scenario {
    let id = "retry-after"
    let title = "A server that is busy, and says when to come again"
    let question = "Who tries again, and when?"
    let changes = [
        Change(
            .repair,
            "Neither the original nor a session retried; a request had a retrier, without a policy for "
                + "it. Here a policy is a value for all three, which the transport applies.",
            source: "Documentation/Decisions/0039-a-request-is-sent-again-inside-its-load.md")
    ]

    /// Refuses the first request for a second; the next response says whether the client waited.
    func prepare(_ server: LoopbackServer) {
        let refused = Locked<ContinuousClock.Instant?>(nil)
        server.add("/items") { _ in
            refused.withLock { moment in
                guard let began = moment else {
                    moment = .now
                    return .status(503, headers: [("Retry-After", "1")])
                }
                let isInTime = ContinuousClock.now - began >= .milliseconds(999)
                return .json(encoding: ["came": isInTime ? "in time" : "too soon"])
            }
        }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.configuration.retryPolicy = RetryPolicy()
        manager.get("items") { _, object in
            stage.outcome("items", object)
        } failure: { _, error in
            stage.outcome("items", error)
        }
        stage.ends(after: 1)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.retryPolicy = RetryPolicy()
        manager.get("items", progress: nil) { _, object in
            stage.outcome("items", object)
        } failure: { _, error in
            stage.outcome("items", error)
        }
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        let manager = stage.keep(SessionManager())
        manager.retryPolicy = RetryPolicy()
        manager.request(stage.url("/items")).validate().responseJSON { response in
            stage.outcome("items", response.error ?? response.value)
        }
        stage.ends(after: 1)
    }
}
