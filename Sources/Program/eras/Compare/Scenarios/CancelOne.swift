import Foundation
import OperationNetworking
import RequestEra
import SessionEra

struct CancelOne: Scenario {
    let id = "cancel-one"
    let title = "Cancel one of three"
    let question = "Do the others notice?"
    let changes = [
        Change(
            .design,
            "An operation's cancel is a flag and a message to the network thread, and a task's or "
                + "a request's goes to the session; all end with one failure, -999.",
            source: "AFNetworking, commit f0ce3a86 of 2012-02-23; a request posts it too (AL-11)")
    ]
    let gates = ["door"]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let operations = (1...3).map { number in
            manager.get("gate/door") { _, data in
                stage.outcome("get \(number)", data)
            } failure: { _, error in
                stage.outcome("get \(number)", error)
                stage.release("door")
            }
        }
        stage.whenReached("door", count: 3) { operations[1]?.cancel() }
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let tasks = (1...3).map { number in
            manager.get("gate/door", progress: nil) { _, data in
                stage.outcome("get \(number)", data)
            } failure: { _, error in
                stage.outcome("get \(number)", error)
                stage.release("door")
            }
        }
        stage.whenReached("door", count: 3) { tasks[1]?.cancel() }
        stage.ends(after: 3)
    }

    func requestEra(_ stage: Stage) {
        let requests = (1...3).map { number in
            SessionManager.default.request(stage.url("/gate/door")).responseData { response in
                stage.outcome("get \(number)", response.error ?? response.value)
                if response.result.isFailure { stage.release("door") }
            }
        }
        stage.whenReached("door", count: 3) { requests[1].cancel() }
        stage.ends(after: 3)
    }
}
