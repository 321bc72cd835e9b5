import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct CancelAll: FoundationScenario {
    let id = "cancel-all"
    let title = "Cancel six, of which three wait"
    let question = "Do those that have not begun end with an error too?"
    let changes = [
        Change(
            .design,
            "The queue cancels its operations; a session is invalidated with its tasks, and replaced "
                + "by a new one; a manager of requests cancels them when it is released. Each of the "
                + "six ends with -999.",
            source: "a session that was invalidated is made anew (UM-02, UM-16); a manager that is "
                + "released cancels (AL-03)"),
        Change(
            .foundation,
            "URLSession on Linux cancels one task after the other and gives each connection that "
                + "becomes free to a task that waits, so the server may see requests that were "
                + "being cancelled.",
            source: "measured here, on Foundation for Linux",
            differences: [
                .init(
                    "requests", in: .foundation, was: "the three that had begun",
                    is: "those and none to three of the others")
            ]),
    ]
    let gates = ["door"]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.maxConcurrentOperationCount = 3
        for number in 1...6 {
            manager.get("gate/door") { _, object in
                stage.outcome("get \(number)", object)
            } failure: { _, error in
                stage.outcome("get \(number)", error)
            }
        }
        stage.whenReached("door", count: 3) { manager.cancelAllOperations() }
        stage.ends(after: 6)
    }

    func sessionEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 3
        let manager = HTTPSessionManager(
            baseURL: stage.baseURL, sessionConfiguration: configuration)
        for number in 1...6 {
            manager.get("gate/door", progress: nil) { _, object in
                stage.outcome("get \(number)", object)
            } failure: { _, error in
                stage.outcome("get \(number)", error)
            }
        }
        stage.whenReached("door", count: 3) {
            manager.invalidateSessionCancelingTasks(true, resetSession: true)
        }
        stage.ends(after: 6)
    }

    func requestEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 3
        let property = Latest<SessionManager?>(SessionManager(configuration: configuration))
        for number in 1...6 {
            property.value?.request(stage.url("/gate/door")).responseJSON { response in
                stage.outcome("get \(number)", response.error ?? response.value)
            }
        }
        // A manager that is released cancels its requests.
        stage.whenReached("door", count: 3) { property.value = nil }
        stage.ends(after: 6)
    }

    func foundationEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 3
        let session = URLSession(configuration: configuration)
        for number in 1...6 {
            session.dataTask(with: stage.url("/gate/door")) { data, _, error in
                stage.outcome("get \(number)", error ?? data)
            }.resume()
        }
        stage.whenReached("door", count: 3) { session.invalidateAndCancel() }
        stage.ends(after: 6)
    }

    /// Which of the waiting tasks URLSession still sends is a race, so three to six requests are one
    /// outcome. Our transport sends none of them.
    func requests(_ seen: [RecordedRequest], in column: Column) -> String {
        switch (column, seen.count) {
        case (.foundation, 3...6): "those and none to three of the others"
        case (.connection, 3), (.session, 3), (.request, 3): "the three that had begun"
        default: RequestTally.text(seen)
        }
    }
}
