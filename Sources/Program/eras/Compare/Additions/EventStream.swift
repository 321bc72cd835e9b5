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
            "The original has an output stream, a session a block for each piece, and a request "
                + "a closure; the caller had to find lines and events. Here the body is a sequence, and "
                + "a slow reader slows the sender.",
            source: "Documentation/Decisions/0037-waiting-in-tasks.md")
    ]

    /// The second event comes when the first has been read.
    func prepare(_ server: LoopbackServer) {
        server.hold("second")
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
                stage.outcome("end", "whole")
            } catch {
                stage.outcome("end", error)
            }
            stage.ends(after: count + 1)
        }
    }
}
