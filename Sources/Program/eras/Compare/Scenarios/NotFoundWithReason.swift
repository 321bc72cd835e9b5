import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct NotFoundWithReason: Scenario {
    let id = "not-found-with-reason"
    let title = "A 404 that says why, in JSON"
    let question = "Where is the body of a failure?"
    let changes = [
        Change(
            .design,
            "A failed operation still has its response object, while a failed task leaves only "
                + "the bytes, in the error's userInfo, and a request's response has them beside "
                + "the error.",
            source: "the error carries the bytes (HM-06); JSON is read on a failed status too "
                + "(SR-16)"),
        .errorOfRequests([
            .init(
                "error", in: .request,
                was: "com.alamofire.error.serialization.response -1011",
                is: "Alamofire.AFError 3")
        ]),
    ]

    func prepare(_ server: LoopbackServer) {
        server.add("/order/7") { _ in .json(#"{"reason":"sold out"}"#, status: 404) }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.get("order/7") { _, object in
            stage.outcome("order", object)
        } failure: { operation, error in
            stage.outcome("status", operation?.response?.statusCode)
            stage.outcome("error", error)
            let json = operation?.responseObject as? [String: Any]
            stage.outcome("reason", json?["reason"])
        }
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.get("order/7", progress: nil) { _, object in
            stage.outcome("order", object)
        } failure: { task, error in
            stage.outcome("status", (task?.response as? HTTPURLResponse)?.statusCode)
            stage.outcome("error", error)
            let info = (error as NSError).userInfo
            let body = info[NetworkingError.failingURLResponseDataKey] as? Data
            let json = body.flatMap { try? JSONSerialization.jsonObject(with: $0) }
            stage.outcome("reason", (json as? [String: Any])?["reason"])
        }
        stage.ends(after: 3)
    }

    func requestEra(_ stage: Stage) {
        SessionManager.default.request(stage.url("/order/7")).validate().responseJSON { response in
            stage.outcome("status", response.response?.statusCode)
            stage.outcome("error", response.error)
            let json = response.data.flatMap { try? JSONSerialization.jsonObject(with: $0) }
            stage.outcome("reason", (json as? [String: Any])?["reason"])
        }
        stage.ends(after: 3)
    }
}
