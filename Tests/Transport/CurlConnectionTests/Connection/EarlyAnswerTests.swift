import CurlConnection
import TestSupport

@Suite("An answer that came before its request", .timeLimit(.minutes(5)))
struct EarlyAnswerTests {
    /// A server that sends a second answer nobody asked for, once the test says so.
    private func forge(_ server: LoopbackServer) {
        let first = ScriptedResponse.text("first")
        server.hold("forge")
        server.add("/first") { _ in
            first.then(
                .wait(gate: "forge"), .bytes(ScriptedResponse.head(200, [("Content-Length", "6")])),
                .bytes(Data("forged".utf8)))
        }
        server.add("/next") { request in .text(request.method) }
    }

    /// Lets the forged answer out and waits until the kernel has it.
    private func letOut(_ server: LoopbackServer) {
        let before = server.statistics.bytesSent
        server.release("forge")
        #expect(server.waitUntil(timeout: patience) { seen, _ in seen.bytesSent >= before + 6 })
        #expect(server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 0 })
    }

    @Test(arguments: ["GET", "POST"])
    func `what lay in a kept connection is not its answer`(method: String) throws {
        try withFixture { fixture in
            forge(fixture.server)
            #expect(fixture.load("/first").text == "first")
            letOut(fixture.server)
            #expect(fixture.load(fixture.request("/next", method)).text == method)
            #expect(fixture.server.requests.map(\.connection) == [1, 2])
        }
    }

    @Test func `nor in one inside TLS`() throws {
        try withSecureRoom { room in
            forge(room.server)
            let (first, next) = (Recorder(), Recorder())
            room.start(first, room.server.url("/first"))
            #expect(first.atEnd().text == "first")
            letOut(room.server)
            room.start(next, room.server.url("/next"))
            #expect(next.atEnd().text == "GET")
            #expect(room.server.requests.map(\.connection) == [1, 2])
        }
    }
}
