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
        try withWorld { world in
            forge(world.server)
            #expect(world.load("/first").text == "first")
            letOut(world.server)
            #expect(world.load(world.request("/next", method)).text == method)
            #expect(world.server.requests.map(\.connection) == [1, 2])
        }
    }

    @Test func `nor in one inside TLS`() throws {
        try withSecureWorld { world in
            forge(world.server)
            let (first, next) = (Recorder(), Recorder())
            world.start(first, world.server.url("/first"))
            #expect(first.atEnd().text == "first")
            letOut(world.server)
            world.start(next, world.server.url("/next"))
            #expect(next.atEnd().text == "GET")
            #expect(world.server.requests.map(\.connection) == [1, 2])
        }
    }
}
