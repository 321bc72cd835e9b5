import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct LimitOfAGroup: Scenario {
    let id = "limit-of-a-group"
    let title = "Six pictures, two of them at once, and a note that must not wait"
    let question = "What limits one kind of request, and what says why it waits?"
    let changes = [
        Change(
            .repair,
            "The original's queue had one limit for all operations, and a session has none for its "
                + "tasks, so the caller kept a list of waiting requests. Here a group of operations has "
                + "a limit of its own, and the queue reports why each waits.",
            source:
                "Documentation/Decisions/0051-a-queue-that-has-all-its-operations.md; a session limits "
                + "connections, not tasks (Statements.md, LX-15)",
            differences: [
                .init(
                    "four pictures wait, as they say", in: .session, .request,
                    was: #"groupLimit("pictures")"#, is: "suspended")
            ])
    ]
    let gates = ["door"]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.setMaxConcurrentOperationCount(2, ofGroup: "pictures")
        for number in 1...6 {
            let request = URLRequest(url: stage.url("/gate/door?\(number)"))
            let picture = manager.httpRequestOperation(with: request) { _, data in
                stage.outcome("picture \(number)", data)
            } failure: { _, error in
                stage.outcome("picture \(number)", error)
            }
            manager.enqueue(picture, group: "pictures")
        }
        stage.whenReached("door", count: 2) {
            manager.get("ok") { _, data in
                stage.outcome("note", data)
                let reasons = manager.snapshot().compactMap(\.reason).map { "\($0)" }
                stage.outcome("four pictures wait, as they say", Self.text(reasons))
                stage.release("door")
            }
        }
        stage.ends(after: 8)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let waiting = Latest<[SessionDataTask]>([])
        for number in 1...6 {
            let request = URLRequest(url: stage.url("/gate/door?\(number)"))
            let picture = manager.dataTask(with: request) { _, data, error in
                stage.outcome("picture \(number)", error ?? data)
                Self.next(of: waiting)?.resume()
            }
            waiting.change { $0.append(picture) }
        }
        for _ in 1...2 { Self.next(of: waiting)?.resume() }
        stage.whenReached("door", count: 2) {
            manager.get("ok", progress: nil) { _, data in
                stage.outcome("note", data)
                let states = waiting.value.map { $0.state == .suspended ? "suspended" : "runs" }
                stage.outcome("four pictures wait, as they say", Self.text(states))
                stage.release("door")
            }
        }
        stage.ends(after: 8)
    }

    func requestEra(_ stage: Stage) {
        let manager = stage.keep(SessionManager())
        manager.startRequestsImmediately = false
        let waiting = Latest<[DataRequest]>([])
        for number in 1...6 {
            let picture = manager.request(stage.url("/gate/door?\(number)"))
            picture.responseData { response in
                stage.outcome("picture \(number)", response.error ?? response.value)
                Self.next(of: waiting)?.resume()
            }
            waiting.change { $0.append(picture) }
        }
        for _ in 1...2 { Self.next(of: waiting)?.resume() }
        stage.whenReached("door", count: 2) {
            let note = manager.request(stage.url("/ok")).responseData { response in
                stage.outcome("note", response.error ?? response.value)
                let states = waiting.value.map {
                    $0.task?.state == .suspended ? "suspended" : "runs"
                }
                stage.outcome("four pictures wait, as they say", Self.text(states))
                stage.release("door")
            }
            note.resume()
        }
        stage.ends(after: 8)
    }

    /// Removes and returns the first work that waits.
    private static func next<Work: Sendable>(of waiting: Latest<[Work]>) -> Work? {
        let next = Latest<Work?>(nil)
        waiting.change { list in
            next.value = list.isEmpty ? nil : list.removeFirst()
        }
        return next.value
    }

    /// The common reason of all four, or all reasons.
    private static func text(_ reasons: [String]) -> String {
        reasons.count == 4 && Set(reasons).count == 1
            ? reasons[0] : reasons.joined(separator: ", ")
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        [.mostAtOnce(at: server)]
    }
}
