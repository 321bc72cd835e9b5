import CurlConnection
import TLSPeer
import TestSupport

/// libcurl 7.88.1 believes a status line that says HTTP/2, and shares all connections to its host then.
@Suite("Status lines that say HTTP/2 where nobody agreed on it", .timeLimit(.minutes(5)))
struct FalseVersionTests {
    private static let lie = "HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func add(to server: LoopbackServer) {
        server.add("/lie") { _ in ScriptedResponse([.bytes(Data(Self.lie.utf8))]) }
    }

    @Test func `without TLS one is refused, and no request goes on a connection in use`() throws {
        try withWorld { world in
            add(to: world.server)
            let held = Recorder()
            world.thread.start(world.request("/gate/a"), held)
            #expect(world.server.waitUntilReached("a"))
            #expect(world.load("/lie").code == .badServerResponse)
            var next = world.request("/ok")
            next.timeoutInterval = 10
            #expect(world.load(next).text == "hello world")
            #expect(world.server.statistics.connectionsAccepted == 3)
            world.server.release("a")
            #expect(held.atEnd().status == 200)
        }
    }

    @Test func `one lets no more requests go at once than connections may be in use`() throws {
        try withWorld { world in
            add(to: world.server)
            let recorders = ["/lie", "/gate/g", "/gate/g"].map { path in
                let recorder = Recorder()
                world.thread.start(world.request(path), recorder) {
                    $0.configuration.httpMaximumConnectionsPerHost = 1
                }
                return recorder
            }
            #expect(recorders[0].atEnd().code == .badServerResponse)
            world.server.release("g")
            #expect(recorders.dropFirst().map { $0.atEnd().status } == [200, 200])
            // The second of them took the first one's.
            #expect(world.server.statistics.connectionsAccepted == 2)
        }
    }

    @Test(arguments: [0x0303, 0x0304])
    func `with TLS and HTTP/1.1 too`(version: Int) throws {
        try withWorld { world in
            let (reached, gate) = (Signal(), DispatchSemaphore(value: 0))
            var settings = world.cast.settings
            settings.highest = version
            settings.answer = { line in
                if line.contains("/lie") { return Self.lie }
                if line.contains("/held") {
                    reached.fire()
                    _ = gate.wait(timeout: .now() + patience)
                }
                return TLSServer.ok
            }
            let server = try TLSServer(settings)
            let held = Recorder()
            world.start(try server.url("localhost", "/held"), held)
            #expect(reached.blocks(until: 1))
            #expect(
                world.load(try server.url("localhost", "/lie")).code == .badServerResponse)
            let next = Recorder()
            world.start(try server.url("localhost", "/next"), next)
            // The connection in use answers nothing meanwhile.
            #expect(next.atEnd().text == "ok")
            gate.signal()
            #expect(held.atEnd().text == "ok")
            #expect(server.stop().requests == ["1 /held", "2 /lie", "3 /next"])
        }
    }
}
