import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct PriorityOnTheWire: FoundationScenario {
    let id = "priority-on-the-wire"
    let title = "Three wait for one connection: low, normal and high"
    let question = "Who gets it first?"
    let changes = [
        Change(
            .repair,
            "The original's priority decided who leaves the queue, and nothing once an operation "
                + "waited for a connection. Here the line for connections goes by it as well, and by "
                + "that of a task.",
            source: "Documentation/Decisions/0040-a-gate-before-the-queue-starts.md"),
        Change(
            .foundation,
            "URLSession on Linux stores a task's priority, and never uses it.",
            source: "a task's priority is stored (LX-16)",
            differences: [
                .init("low came last", in: .foundation, was: "yes", is: "no")
            ]),
    ]

    func prepare(_ server: LoopbackServer) {
        server.hold("door")
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.configuration.httpMaximumConnectionsPerHost = 1
        manager.get("gate/door") { _, data in stage.outcome("first", data) }
        stage.whenReached("door") {
            let classes: [(String, Operation.QueuePriority)] = [
                ("low", .low), ("normal", .normal), ("high", .high),
            ]
            // A queue starts operations on several threads. When three have begun, and another origin,
            // which has a connection of its own, has answered, all three wait.
            let other = stage.url("/status/200", host: "localhost").absoluteString
            let begun = Latest(0)
            _ = NotificationCenter.default.addObserver(
                forName: .networkingOperationDidStart, object: nil, queue: nil
            ) { _ in
                guard begun.change({ $0 += 1 }) == 3 else { return }
                manager.get(other) { _, _ in stage.release("door") }
            }
            for (name, priority) in classes {
                let request = URLRequest(url: stage.url("/status/200?class=\(name)"))
                let operation = manager.httpRequestOperation(with: request) { operation, _ in
                    stage.outcome(name, operation.response?.statusCode)
                } failure: { _, error in
                    stage.outcome(name, error)
                }
                operation.queuePriority = priority
                manager.enqueue(operation)
            }
        }
        stage.ends(after: 4)
    }

    func sessionEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = HTTPSessionManager(
            baseURL: stage.baseURL, sessionConfiguration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.get("gate/door", progress: nil) { _, data in stage.outcome("first", data) }
        stage.whenReached("door") {
            let classes: [(String, Float)] = [
                ("low", URLSessionTask.lowPriority), ("normal", URLSessionTask.defaultPriority),
                ("high", URLSessionTask.highPriority),
            ]
            for (name, priority) in classes {
                let request = URLRequest(url: stage.url("/status/200?class=\(name)"))
                let task = manager.dataTask(with: request) { response, _, error in
                    stage.outcome(name, error ?? (response as? HTTPURLResponse)?.statusCode)
                }
                task.priority = priority
                task.resume()
            }
            let other = stage.url("/status/200", host: "localhost").absoluteString
            manager.get(other, progress: nil) { _, _ in stage.release("door") }
        }
        stage.ends(after: 4)
    }

    func requestEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = stage.keep(SessionManager(configuration: configuration))
        manager.startRequestsImmediately = false
        manager.request(stage.url("/gate/door"))
            .responseData { response in stage.outcome("first", response.error ?? response.value) }
            .resume()
        stage.whenReached("door") {
            let classes: [(String, Float)] = [
                ("low", URLSessionTask.lowPriority), ("normal", URLSessionTask.defaultPriority),
                ("high", URLSessionTask.highPriority),
            ]
            for (name, priority) in classes {
                let request = manager.request(stage.url("/status/200?class=\(name)"))
                request.response { response in
                    stage.outcome(name, response.error ?? response.response?.statusCode)
                }
                request.task?.priority = priority
                request.resume()
            }
            manager.request(stage.url("/status/200", host: "localhost"))
                .response { _ in stage.release("door") }
                .resume()
        }
        stage.ends(after: 4)
    }

    func foundationEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let session = URLSession(configuration: configuration)
        session.dataTask(with: stage.url("/gate/door")) { data, _, error in
            stage.outcome("first", error ?? data)
        }.resume()
        stage.whenReached("door") {
            let classes: [(String, Float)] = [
                ("low", URLSessionTask.lowPriority), ("normal", URLSessionTask.defaultPriority),
                ("high", URLSessionTask.highPriority),
            ]
            for (name, priority) in classes {
                let url = stage.url("/status/200?class=\(name)")
                let task = session.dataTask(with: url) { _, response, error in
                    stage.outcome(name, error ?? (response as? HTTPURLResponse)?.statusCode)
                }
                task.priority = priority
                task.resume()
            }
            let other = stage.url("/status/200", host: "localhost")
            session.dataTask(with: other) { _, _, _ in stage.release("door") }.resume()
        }
        stage.ends(after: 4)
    }

    func witness(_ server: LoopbackServer) -> [Outcome] {
        let classes = server.requests.compactMap { request in
            request.target.split(separator: "=").dropFirst().first.map(String.init)
        }
        return [Outcome("low came last", classes.last == "low" ? "yes" : "no")]
    }
}
