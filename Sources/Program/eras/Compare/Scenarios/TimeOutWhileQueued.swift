import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct TimeOutWhileQueued: FoundationScenario {
    let id = "time-out-while-queued"
    let title = "A time-out of two seconds, behind a request that takes four"
    let question = "Does the clock run while a request waits for its turn?"
    let changes = [
        Change(
            .design,
            "The operation waits in its queue, which starts it; a task or a request waits in its "
                + "session for a connection. On our transport no clock runs in either place.",
            source: "a session limits connections, not tasks (Statements.md, LX-15); measured here"),
        Change(
            .foundation,
            "The clock of a task of URLSession on Linux runs from its resume, so it is over before "
                + "the task has a connection; URLSession also spins while the task waits, which is "
                + "its processor time.",
            source: "measured here, on Foundation for Linux",
            differences: [
                .init(
                    "requests", in: .foundation, was: "1 GET /gate/door, 1 GET /ok",
                    is: "1 GET /gate/door"),
                .init(
                    "second", in: .foundation, was: "hello world", is: "NSURLErrorDomain -1001"),
            ]),
    ]
    let gates = ["door"]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.maxConcurrentOperationCount = 1
        manager.get("gate/door") { _, data in
            stage.outcome("first", data)
        } failure: { _, error in
            stage.outcome("first", error)
        }
        stage.whenReached("door") {
            manager.requestSerializer.timeoutInterval = 2
            manager.get("ok") { _, data in
                stage.outcome("second", data)
            } failure: { _, error in
                stage.outcome("second", error)
            }
            stage.after(seconds: 4) { stage.release("door") }
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = HTTPSessionManager(
            baseURL: stage.baseURL, sessionConfiguration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.get("gate/door", progress: nil) { _, data in
            stage.outcome("first", data)
        } failure: { _, error in
            stage.outcome("first", error)
        }
        stage.whenReached("door") {
            manager.requestSerializer.timeoutInterval = 2
            manager.get("ok", progress: nil) { _, data in
                stage.outcome("second", data)
            } failure: { _, error in
                stage.outcome("second", error)
            }
            stage.after(seconds: 4) { stage.release("door") }
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = stage.keep(SessionManager(configuration: configuration))
        manager.request(stage.url("/gate/door")).responseData { response in
            stage.outcome("first", response.error ?? response.value)
        }
        stage.whenReached("door") {
            var request = URLRequest(url: stage.url("/ok"))
            request.timeoutInterval = 2
            manager.request(request).responseData { response in
                stage.outcome("second", response.error ?? response.value)
            }
            stage.after(seconds: 4) { stage.release("door") }
        }
        stage.ends(after: 2)
    }

    func foundationEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let session = URLSession(configuration: configuration)
        session.dataTask(with: stage.url("/gate/door")) { data, _, error in
            stage.outcome("first", error ?? data)
        }.resume()
        stage.whenReached("door") {
            var request = URLRequest(url: stage.url("/ok"))
            request.timeoutInterval = 2
            session.dataTask(with: request) { data, _, error in
                stage.outcome("second", error ?? data)
            }.resume()
            stage.after(seconds: 4) { stage.release("door") }
        }
        stage.ends(after: 2)
    }
}
