import DurableQueue
import Foundation
import FoundationNetworking
import Locking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct OrderThatMustArrive: Scenario {
    let id = "order-that-must-arrive"
    let title = "An order, and a server that has no time for it"
    let question = "Who keeps the order until it has arrived?"
    let changes = [
        Change(
            .repair,
            "In every era the caller had to store an order that failed, or lost it with the process. "
                + "Here the connection era has a queue on the disk: it sends until the server answers, "
                + "also after a restart, always with the same idempotency key.",
            source: "Documentation/Decisions/0041-durable-queue.md",
            differences: [
                .init(
                    "order", in: .session, was: "200",
                    is: "com.alamofire.error.serialization.response -1011"),
                .init("order", in: .request, was: "200", is: "Alamofire.AFError 3"),
                .init("keys", in: .session, .request, was: "1", is: "0"),
                .init(
                    "requests", in: .session, .request, was: "2 POST /order", is: "1 POST /order"),
            ])
    ]

    /// The first request is refused.
    func prepare(_ server: LoopbackServer) {
        let hasRefused = Locked(false)
        server.add("/order") { _ in
            hasRefused.withLock { hasRefused in
                defer { hasRefused = true }
                return hasRefused ? .json("{}") : .status(503)
            }
        }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        let folder = stage.file("orders")
        Task {
            do {
                let queue = try await DurableQueue(folder: folder, manager: manager) { _, outcome in
                    guard case .delivered(let response, _) = outcome else {
                        return stage.outcome("order", "\(outcome)")
                    }
                    stage.outcome("order", response.statusCode)
                }
                var request = URLRequest(url: stage.url("/order"))
                request.httpMethod = "POST"
                try await stage.keep(queue).add(request)
            } catch {
                stage.outcome("order", error)
            }
        }
        stage.ends(after: 1)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.post("order", progress: nil) { task, _ in
            stage.outcome("order", (task.response as? HTTPURLResponse)?.statusCode)
        } failure: { _, error in
            stage.outcome("order", error)
        }
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        let manager = SessionManager.default
        manager.request(stage.url("/order"), method: .post).validate().response { response in
            stage.outcome("order", response.error ?? response.response?.statusCode)
        }
        stage.ends(after: 1)
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        let keys = server.requests.compactMap { $0.headers["Idempotency-Key"] }
        return [Outcome("keys", "\(Set(keys).count)")]
    }
}
