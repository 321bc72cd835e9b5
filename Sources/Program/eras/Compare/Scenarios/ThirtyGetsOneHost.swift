import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct ThirtyGetsOneHost: FoundationScenario {
    let id = "thirty-gets-one-host"
    let title = "Thirty gets to one host, four at once"
    let question = "What limits the requests to four at once?"
    let changes = [
        Change(
            .design,
            "The operation queue starts four operations, and the others wait in it, while a session "
                + "starts all thirty tasks, which wait for a connection.",
            source: "a session limits connections, not tasks (Statements.md, LX-15)")
    ]
    let gates = ["door"]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.maxConcurrentOperationCount = 4
        for number in 1...30 {
            manager.get("gate/door") { _, data in
                stage.outcome("get \(number)", data)
            } failure: { _, error in
                stage.outcome("get \(number)", error)
            }
        }
        openDoor(stage)
    }

    func sessionEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 4
        let manager = HTTPSessionManager(
            baseURL: stage.baseURL, sessionConfiguration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        for number in 1...30 {
            manager.get("gate/door", progress: nil) { _, data in
                stage.outcome("get \(number)", data)
            } failure: { _, error in
                stage.outcome("get \(number)", error)
            }
        }
        openDoor(stage)
    }

    func requestEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 4
        let manager = stage.keep(SessionManager(configuration: configuration))
        for number in 1...30 {
            manager.request(stage.url("/gate/door")).responseData { response in
                stage.outcome("get \(number)", response.error ?? response.value)
            }
        }
        openDoor(stage)
    }

    func foundationEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 4
        let session = URLSession(configuration: configuration)
        for number in 1...30 {
            session.dataTask(with: stage.url("/gate/door")) { data, _, error in
                stage.outcome("get \(number)", error ?? data)
            }.resume()
        }
        openDoor(stage)
    }

    /// Opens the gate 0.1 seconds after four requests have reached it. A fifth, sent in spite of the limit, would
    /// reach the server in that time, and would be counted.
    private func openDoor(_ stage: Stage) {
        stage.ends(after: 30)
        stage.whenReached("door", count: 4) {
            stage.after(seconds: 0.1) { stage.release("door") }
        }
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        [.mostAtOnce(at: server)]
    }
}
