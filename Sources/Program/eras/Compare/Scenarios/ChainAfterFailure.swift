import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct ChainAfterFailure: Scenario {
    let id = "chain-after-failure"
    let title = "A chain whose first request fails"
    let question = "Is the second request made when the first has failed?"
    let changes = [
        Change(
            .design,
            "An operation starts when what it depends on has finished, however that ended, while "
                + "a request inside a success block is not even made.",
            source: "Foundation: a dependency counts as met when it has finished; measured here",
            differences: [
                .init(
                    "profile", in: .session, .request, was: #"{"step":"profile"}"#, is: "-"),
                .init(
                    "requests", in: .session, .request, was: "1 GET /get, 1 GET /status/500",
                    is: "1 GET /status/500"),
            ]),
        .errorOfRequests([
            .init(
                "sign in", in: .request,
                was: "com.alamofire.error.serialization.response -1011",
                is: "Alamofire.AFError 3")
        ]),
    ]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        let signIn = manager.get("status/500") { _, _ in
            stage.outcome("sign in", "done")
        } failure: { _, error in
            stage.outcome("sign in", error)
        }
        let request = URLRequest(url: stage.url("/get?step=profile"))
        let profile = manager.httpRequestOperation(with: request) { _, object in
            stage.outcome("profile", (object as? [String: Any])?["args"])
        } failure: { _, error in
            stage.outcome("profile", error)
        }
        signIn.map(profile.addDependency)
        manager.enqueue(profile)
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.get("status/500", progress: nil) { _, _ in
            stage.outcome("sign in", "done")
            manager.get("get?step=profile", progress: nil) { _, object in
                stage.outcome("profile", (object as? [String: Any])?["args"])
            }
        } failure: { _, error in
            stage.outcome("sign in", error)
        }
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        let manager = SessionManager.default
        manager.request(stage.url("/status/500")).validate().responseJSON { response in
            stage.outcome("sign in", response.error ?? "done")
            guard response.result.isSuccess else { return }
            manager.request(stage.url("/get?step=profile")).validate().responseJSON { response in
                stage.outcome("profile", (response.value as? [String: Any])?["args"])
            }
        }
        stage.ends(after: 1)
    }
}
