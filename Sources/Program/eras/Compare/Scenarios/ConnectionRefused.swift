import Foundation
import OperationNetworking
import RequestEra
import SessionEra

struct ConnectionRefused: Scenario {
    let id = "connection-refused"
    let title = "No server listens there"
    let question = "Which error does a refused connection end with?"
    let changes = [
        Change(
            .design,
            "Every era ends with -1004, could not connect, and no response.",
            source: "Documentation/Transport.md; measured here")
    ]

    func connectionEra(_ stage: Stage) throws {
        let manager = HTTPRequestOperationManager(baseURL: try stage.refusingURL())
        manager.get("get") { _, object in
            stage.outcome("get", object)
        } failure: { operation, error in
            stage.outcome("get", error)
            stage.outcome("response", operation?.response)
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) throws {
        let manager = HTTPSessionManager(
            baseURL: try stage.refusingURL())
        manager.get("get", progress: nil) { _, object in
            stage.outcome("get", object)
        } failure: { task, error in
            stage.outcome("get", error)
            stage.outcome("response", task?.response)
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) throws {
        SessionManager.default.request(try stage.refusingURL()).responseJSON { response in
            stage.outcome("get", response.error ?? response.value)
            stage.outcome("response", response.response)
        }
        stage.ends(after: 2)
    }
}
