import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct PriorityOnTheWire: FoundationScenario {
    let id = "priority-on-the-wire"
    let title = "Nine wait for one connection: one low, four normal, four high"
    let question = "Who gets it first?"
    let changes = [
        Change(
            .repair,
            "The original's priority decided which operation leaves the queue, and nothing once one "
                + "waited for a connection. Here the queue for connections uses it as well, and a "
                + "task's priority too.",
            source: "Documentation/Decisions/0040-a-gate-before-the-queue-starts.md"),
        Change(
            .foundation,
            "URLSession on Linux stores a task's priority, and never uses it.",
            source: "a task's priority is stored (LX-16)",
            differences: [
                .init("high, then normal, then low", in: .foundation, was: "yes", is: "no")
            ]),
    ]
    let gates = ["door"]

    /// In the order of their start. So many that Foundation, which ignores priorities, does not
    /// produce their order by chance.
    private let requests =
        ["low"] + (1...4).map { "normal \($0)" } + (1...4).map { "high \($0)" }

    private func value<Value>(
        of name: some StringProtocol, _ low: Value, _ normal: Value, _ high: Value
    ) -> Value {
        name == "low" ? low : name.hasPrefix("normal") ? normal : high
    }

    private func taskPriority(of name: String) -> Float {
        value(
            of: name, URLSessionTask.lowPriority, URLSessionTask.defaultPriority,
            URLSessionTask.highPriority)
    }

    /// The server's log shows the name.
    private func url(_ name: String, _ stage: Stage) -> URL {
        stage.url("/status/200?class=\(name.replacing(" ", with: "-"))")
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.configuration.httpMaximumConnectionsPerHost = 1
        manager.get("gate/door") { _, data in stage.outcome("first", data) }
        stage.whenReached("door") {
            // A queue starts operations on several threads. When all have begun, and a request to
            // another origin, with a connection of its own, has ended, all of them wait.
            let other = stage.url("/status/200", host: "localhost").absoluteString
            let begun = Latest(0)
            _ = NotificationCenter.default.addObserver(
                forName: .networkingOperationDidStart, object: nil, queue: nil
            ) { _ in
                guard begun.change({ $0 += 1 }) == requests.count else { return }
                manager.get(other) { _, _ in stage.release("door") }
            }
            for name in requests {
                let request = URLRequest(url: url(name, stage))
                let operation = manager.httpRequestOperation(with: request) { operation, _ in
                    stage.outcome(name, operation.response?.statusCode)
                } failure: { _, error in
                    stage.outcome(name, error)
                }
                operation.queuePriority = value(of: name, .low, .normal, .high)
                manager.enqueue(operation)
            }
        }
        stage.ends(after: 1 + requests.count)
    }

    func sessionEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = HTTPSessionManager(
            baseURL: stage.baseURL, sessionConfiguration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.get("gate/door", progress: nil) { _, data in stage.outcome("first", data) }
        stage.whenReached("door") {
            for name in requests {
                let request = URLRequest(url: url(name, stage))
                let task = manager.dataTask(with: request) { response, _, error in
                    stage.outcome(name, error ?? (response as? HTTPURLResponse)?.statusCode)
                }
                task.priority = taskPriority(of: name)
                task.resume()
            }
            let other = stage.url("/status/200", host: "localhost").absoluteString
            manager.get(other, progress: nil) { _, _ in stage.release("door") }
        }
        stage.ends(after: 1 + requests.count)
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
            for name in requests {
                let request = manager.request(url(name, stage))
                request.response { response in
                    stage.outcome(name, response.error ?? response.response?.statusCode)
                }
                request.task?.priority = taskPriority(of: name)
                request.resume()
            }
            manager.request(stage.url("/status/200", host: "localhost"))
                .response { _ in stage.release("door") }
                .resume()
        }
        stage.ends(after: 1 + requests.count)
    }

    func foundationEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let session = URLSession(configuration: configuration)
        session.dataTask(with: stage.url("/gate/door")) { data, _, error in
            stage.outcome("first", error ?? data)
        }.resume()
        stage.whenReached("door") {
            for name in requests {
                let task = session.dataTask(with: url(name, stage)) { _, response, error in
                    stage.outcome(name, error ?? (response as? HTTPURLResponse)?.statusCode)
                }
                task.priority = taskPriority(of: name)
                task.resume()
            }
            let other = stage.url("/status/200", host: "localhost")
            session.dataTask(with: other) { _, _, _ in stage.release("door") }.resume()
        }
        stage.ends(after: 1 + requests.count)
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        let classes = server.requests.compactMap { request in
            request.target.split(separator: "=").dropFirst().first.map { value(of: $0, 0, 1, 2) }
        }
        let isInOrder = classes == classes.sorted(by: >)
        return [Outcome("high, then normal, then low", isInOrder ? "yes" : "no")]
    }
}
