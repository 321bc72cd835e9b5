import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct EventStream: Scenario {
    let id = "event-stream"
    let title = "A stream of events, each read when it comes"
    let question = "Can a body be read before it has ended?"
    let changes = [
        Change(
            .repair,
            "The originals give the pieces of a body to an operation's output stream, to a session's "
                + "block or to a request's closure, and the caller splits them into lines and events. "
                + "Here the body is an `AsyncSequence`, and a slow reader slows the sender.",
            source: "Documentation/Decisions/0037-waiting-in-tasks.md")
    ]
    let gates = ["second"]

    /// The server sends the second event only after the client has read the first.
    func prepare(_ server: LoopbackServer) {
        server.add("/news") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Type", "text/event-stream")])),
                .bytes(Data("data: first\n\n".utf8)), .wait(gate: "second"),
                .bytes(Data("data: second\n\n".utf8)), .close,
            ])
        }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        read(stage) { try await manager.bytes(for: URLRequest(url: stage.url("/news"))).0 }
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        read(stage) { try await manager.bytes(for: URLRequest(url: stage.url("/news"))).0 }
    }

    func requestEra(_ stage: Stage) {
        read(stage) { try await SessionManager.default.request(stage.url("/news")).bytes().0 }
    }

    private func read(_ stage: Stage, _ body: @escaping @Sendable () async throws -> ResponseBytes)
    {
        Task {
            var count = 0
            do {
                for try await event in try await body().events {
                    count += 1
                    stage.outcome("event", event.data)
                    stage.release("second")
                }
                stage.outcome("end", "complete")
            } catch {
                stage.outcome("end", error)
            }
            stage.ends(after: count + 1)
        }
    }
}
