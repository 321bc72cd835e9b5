import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct TokenInEveryRequest: Scenario {
    let id = "token-in-every-request"
    let title = "A token in every request, and then none"
    let question = "What adds it, and what is sent without one?"
    let changes = [
        Change(
            .design,
            "The caller sets a serializer's field, and a request without a token is sent. An adapter is "
                + "called before each task and may throw: the handlers get its error unchanged, and "
                + "nothing is sent.",
            source: "the adapter is asked before each task is made (AL-13)",
            differences: [
                .init(
                    "signed out", in: .request,
                    was: "com.alamofire.error.serialization.response -1011",
                    is: "NSURLErrorDomain -1013"),
                .init("requests", in: .request, was: "3 GET /private", is: "2 GET /private"),
            ])
    ]

    func prepare(_ server: LoopbackServer) {
        server.add("/private") { request in
            request.headers["Authorization"].map { .text($0) } ?? .status(401)
        }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.setValue("Bearer a", forHTTPHeaderField: "Authorization")
        manager.get("private") { _, data in
            stage.outcome("first", data)
            manager.requestSerializer.setValue("Bearer b", forHTTPHeaderField: "Authorization")
            manager.get("private") { _, data in
                stage.outcome("second", data)
                manager.requestSerializer.clearAuthorizationHeader()
                manager.get("private") { _, data in
                    stage.outcome("signed out", data)
                } failure: { _, error in
                    stage.outcome("signed out", error)
                }
            }
        }
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.setValue("Bearer a", forHTTPHeaderField: "Authorization")
        manager.get("private", progress: nil) { _, data in
            stage.outcome("first", data)
            manager.requestSerializer.setValue("Bearer b", forHTTPHeaderField: "Authorization")
            manager.get("private", progress: nil) { _, data in
                stage.outcome("second", data)
                manager.requestSerializer.clearAuthorizationHeader()
                manager.get("private", progress: nil) { _, data in
                    stage.outcome("signed out", data)
                } failure: { _, error in
                    stage.outcome("signed out", error)
                }
            }
        }
        stage.ends(after: 3)
    }

    func requestEra(_ stage: Stage) {
        struct Access: RequestAdapter {
            let token = Latest<String?>("a")

            func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
                guard let token = token.value else {
                    throw URLError(.userAuthenticationRequired)
                }
                var request = urlRequest
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        let access = Access()
        let manager = stage.keep(SessionManager())
        manager.adapter = access
        manager.request(stage.url("/private")).responseData { response in
            stage.outcome("first", response.error ?? response.value)
            access.token.value = "b"
            manager.request(stage.url("/private")).responseData { response in
                stage.outcome("second", response.error ?? response.value)
                access.token.value = nil
                manager.request(stage.url("/private")).responseData { response in
                    stage.outcome("signed out", response.error ?? response.value)
                }
            }
        }
        stage.ends(after: 3)
    }
}
