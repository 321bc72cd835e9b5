import Foundation
import OperationNetworking
import RequestEra

struct HandlersAddedLate: Scenario {
    let id = "handlers-added-late"
    let title = "Handlers added before, during and after the request"
    let question = "Which of the three are called?"
    let changes = [
        Change(
            .design,
            "An operation has one completion block: a second one replaces it, and one that is set "
                + "after the end is never called. A request's handlers wait in a queue that is resumed "
                + "at the end, so each is called once, whenever it was added.",
            source: "a completion block is replaced (HO-4); a handler is an operation on the "
                + "request's queue (AL-08)",
            differences: [
                .init("called", in: .request, was: "during", is: "before, during, after")
            ])
    ]
    let without: [Column: String] = [
        .session: "a task's handler is given when the task is made, and none can be added."
    ]
    let gates = ["door"]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let called = Latest<[String]>([])
        let operation = manager.get("gate/door") { _, _ in called.change { $0.append("before") } }
        stage.whenReached("door") {
            operation?.setCompletionBlock { operation, _ in
                called.change { $0.append("during") }
                operation.setCompletionBlock { _, _ in
                    called.change { $0.append("after") }
                } failure: { _, _ in
                }
                // Waits a while, because the block is never called.
                stage.after(seconds: 0.2) {
                    stage.outcome("called", called.value.joined(separator: ", "))
                }
            } failure: { _, _ in
            }
            stage.release("door")
        }
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        let called = Latest<[String]>([])
        let request = SessionManager.default.request(stage.url("/gate/door"))
        request.response { _ in called.change { $0.append("before") } }
        stage.whenReached("door") {
            request.response { _ in
                called.change { $0.append("during") }
                request.response { _ in
                    called.change { $0.append("after") }
                    stage.outcome("called", called.value.joined(separator: ", "))
                }
            }
            stage.release("door")
        }
        stage.ends(after: 1)
    }
}
