import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct WaitAndCancel: Scenario {
    let id = "wait-and-cancel"
    let title = "Two tasks of Swift's wait; one is cancelled, and one's request is"
    let question = "Does a cancel go both ways, and does each wait end once?"
    let changes = [
        Change(
            .repair,
            "None of the three could be awaited. Here each can: cancelling the task that waits cancels "
                + "the request, cancelling the request ends the wait, and both waits end with the same "
                + "error.",
            source: "Documentation/Decisions/0037-waiting-in-tasks.md")
    ]
    let gates = ["door"]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        let waiting = Task {
            do {
                stage.outcome("cancelled task", try await manager.get("gate/door"))
            } catch {
                stage.outcome("cancelled task", error)
            }
        }
        let request = URLRequest(url: stage.url("/gate/door"))
        let operation = manager.httpRequestOperation(with: request, success: nil, failure: nil)
        manager.enqueue(operation)
        Task {
            do {
                stage.outcome("cancelled request", try await operation.result())
            } catch {
                stage.outcome("cancelled request", error)
            }
        }
        stage.whenReached("door", count: 2) {
            waiting.cancel()
            operation.cancel()
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        let waiting = Task {
            do {
                stage.outcome("cancelled task", try await manager.get("gate/door"))
            } catch {
                stage.outcome("cancelled task", error)
            }
        }
        Task {
            do {
                let object = try await manager.get("gate/door?mine")
                stage.outcome("cancelled request", object)
            } catch {
                stage.outcome("cancelled request", error)
            }
        }
        stage.whenReached("door", count: 2) {
            waiting.cancel()
            manager.tasks.first { $0.originalRequest?.url?.query() == "mine" }?.cancel()
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) {
        let manager = SessionManager.default
        let waiting = Task {
            do {
                let data = try await manager.request(stage.url("/gate/door")).serializingData()
                    .value
                stage.outcome("cancelled task", data)
            } catch {
                stage.outcome("cancelled task", error)
            }
        }
        let request = manager.request(stage.url("/gate/door"))
        Task {
            do {
                stage.outcome("cancelled request", try await request.serializingData().value)
            } catch {
                stage.outcome("cancelled request", error)
            }
        }
        stage.whenReached("door", count: 2) {
            waiting.cancel()
            request.cancel()
        }
        stage.ends(after: 2)
    }

    func requests(_ seen: [RecordedRequest], in column: Column) -> String {
        "\(seen.count { $0.path == "/gate/door" })"
    }
}
