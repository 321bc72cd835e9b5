import Foundation
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct WrongContentType: Scenario {
    let id = "wrong-content-type"
    let title = "A page where JSON was expected"
    let question = "Is the login page of a hotel a success?"
    let changes = [
        Change(
            .design,
            "Both of AFNetworking's eras use a serializer, which refuses a wrong content type before it "
                + "parses the bytes. A request checks status and type only after `validate()`.",
            source: "status and type are checked before the bytes (SR-13; RE-2); a request "
                + "validates where it is asked to (AL-17, AL-18)"),
        .errorOfRequests([
            .init(
                "rooms", in: .request,
                was: "com.alamofire.error.serialization.response -1016",
                is: "Alamofire.AFError 3"),
            .init(
                "sentence", in: .request,
                was: "Request failed: unacceptable content-type: text/html",
                is: "Response Content-Type \"text/html\" does not match any acceptable "
                    + "types: application/json."),
        ]),
    ]

    func prepare(_ server: LoopbackServer) {
        server.add("/rooms") { _ in .text("<html>Welcome</html>", contentType: "text/html") }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.get("rooms") { _, object in
            stage.outcome("rooms", object)
        } failure: { _, error in
            stage.outcome("rooms", error)
            stage.outcome("sentence", error.localizedDescription)
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.get("rooms", progress: nil) { _, object in
            stage.outcome("rooms", object)
        } failure: { _, error in
            stage.outcome("rooms", error)
            stage.outcome("sentence", error.localizedDescription)
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) {
        SessionManager.default.request(stage.url("/rooms"))
            .validate(contentType: ["application/json"])
            .responseJSON { response in
                stage.outcome("rooms", response.error ?? response.value)
                stage.outcome("sentence", response.error?.localizedDescription)
            }
        stage.ends(after: 2)
    }
}
