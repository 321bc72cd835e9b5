import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct RetryWithNewToken: Scenario {
    let id = "retry-with-new-token"
    let title = "A token that has expired"
    let question = "Who gets a new one and tries again?"
    let changes = [
        Change(
            .design,
            "The caller's failure block sees the 401, gets a token and sends the request again, in "
                + "each place where it may happen. A request validates its response and asks the "
                + "manager's retrier, so its handlers are called for the second response alone.",
            source: "the retrier is asked for any error, also a validation's (AL-15)")
    ]

    func prepare(_ server: LoopbackServer) {
        server.add("/token") { _ in .json(#"{"token":"new"}"#) }
        server.add("/items") { request in
            request.headers["Authorization"] == "Bearer new"
                ? .json(#"{"items":2}"#) : .json("{}", status: 401)
        }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.requestSerializer.setValue("Bearer old", forHTTPHeaderField: "Authorization")
        manager.get("items") { _, object in
            stage.outcome("items", object)
        } failure: { operation, error in
            guard operation?.response?.statusCode == 401 else {
                return stage.outcome("items", error)
            }
            manager.get("token") { _, object in
                let token = (object as? [String: String])?["token"] ?? ""
                manager.requestSerializer.setValue(
                    "Bearer \(token)", forHTTPHeaderField: "Authorization")
                manager.get("items") { _, object in
                    stage.outcome("items", object)
                } failure: { _, error in
                    stage.outcome("items", error)
                }
            }
        }
        stage.ends(after: 1)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.requestSerializer.setValue("Bearer old", forHTTPHeaderField: "Authorization")
        manager.get("items", progress: nil) { _, object in
            stage.outcome("items", object)
        } failure: { task, error in
            guard (task?.response as? HTTPURLResponse)?.statusCode == 401 else {
                return stage.outcome("items", error)
            }
            manager.get("token", progress: nil) { _, object in
                let token = (object as? [String: String])?["token"] ?? ""
                manager.requestSerializer.setValue(
                    "Bearer \(token)", forHTTPHeaderField: "Authorization")
                manager.get("items", progress: nil) { _, object in
                    stage.outcome("items", object)
                } failure: { _, error in
                    stage.outcome("items", error)
                }
            }
        }
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        struct Access: RequestAdapter, RequestRetrier {
            let token = Latest("old")
            let renewal: URL

            func adapt(_ urlRequest: URLRequest) -> URLRequest {
                var request = urlRequest
                request.setValue("Bearer \(token.value)", forHTTPHeaderField: "Authorization")
                return request
            }

            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                guard request.response?.statusCode == 401, request.retryCount == 0 else {
                    return completion(false, 0)
                }
                manager.request(renewal).validate().responseJSON { response in
                    token.value = (response.value as? [String: String])?["token"] ?? ""
                    completion(true, 0)
                }
            }
        }
        let manager = stage.keep(SessionManager())
        let access = Access(renewal: stage.url("/token"))
        manager.adapter = access
        manager.retrier = access
        manager.request(stage.url("/items")).validate().responseJSON { response in
            stage.outcome("items", response.error ?? response.value)
        }
        stage.ends(after: 1)
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        [.order(at: server)]
    }
}
