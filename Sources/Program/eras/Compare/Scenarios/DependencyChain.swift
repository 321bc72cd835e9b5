import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct DependencyChain: Scenario {
    let id = "dependency-chain"
    let title = "Three requests that wait for each other"
    let question = "How does the second request wait for the first?"
    let changes = [
        Change(
            .design,
            "A task has no dependencies, and a request neither, so the second request is made inside "
                + "the first one's block; the order on the wire is the same.",
            source: "Foundation: Operation has dependencies, URLSessionTask has none")
    ]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        let steps = ["sign in", "profile", "pictures"].map { name in
            let request = URLRequest(url: stage.url("/get?step=\(name.prefix(4))"))
            return manager.httpRequestOperation(with: request) { _, object in
                stage.outcome(name, (object as? [String: Any])?["args"])
            } failure: { _, error in
                stage.outcome(name, error)
            }
        }
        steps[1].addDependency(steps[0])
        steps[2].addDependency(steps[1])
        manager.operationQueue.addOperations(steps.reversed(), waitUntilFinished: false)
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.get("get?step=sign", progress: nil) { _, object in
            stage.outcome("sign in", (object as? [String: Any])?["args"])
            manager.get("get?step=prof", progress: nil) { _, object in
                stage.outcome("profile", (object as? [String: Any])?["args"])
                manager.get("get?step=pict", progress: nil) { _, object in
                    stage.outcome("pictures", (object as? [String: Any])?["args"])
                }
            }
        }
        stage.ends(after: 3)
    }

    func requestEra(_ stage: Stage) {
        let manager = SessionManager.default
        manager.request(stage.url("/get?step=sign")).responseJSON { response in
            stage.outcome("sign in", (response.value as? [String: Any])?["args"])
            manager.request(stage.url("/get?step=prof")).responseJSON { response in
                stage.outcome("profile", (response.value as? [String: Any])?["args"])
                manager.request(stage.url("/get?step=pict")).responseJSON { response in
                    stage.outcome("pictures", (response.value as? [String: Any])?["args"])
                }
            }
        }
        stage.ends(after: 3)
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        [.order(at: server)]
    }
}
