import Foundation
import LoopbackServer
import Testing

@Suite("The life of a server", .timeLimit(.minutes(5)), .serialized)
struct LifeTests {
    @Test func `stop frees the port and ends connections`() throws {
        let server = LoopbackServer()
        try server.start()
        let port = server.port
        let client = try RawClient(port: port)
        client.send("GET /hang HTTP/1.1\r\n\r\n")
        #expect(server.waitUntil(timeout: 10) { counters, _ in counters.inFlight == 1 })
        server.stop()
        server.stop()
        #expect(client.toEnd().isEmpty)
        #expect(server.statistics.connectionsOpen == 0)
        #expect(server.statistics.inFlight == 0)
        #expect(server.port == 0)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
        try server.start(port: port)
        #expect(server.port == port)
        #expect(try RawClient(port: port).get("/ok").status == 200)
        server.stop()
    }

    @Test func `servers stand side by side on other addresses`() throws {
        try withServer(address: "127.0.0.2") { server in
            #expect(server.baseURL.absoluteString == "http://127.0.0.2:\(server.port)/")
            try withServer { other in
                let client = try RawClient(port: server.port, host: 0x7f00_0002)
                #expect(try client.get("/ok").status == 200)
                #expect(try RawClient(port: other.port).get("/ok").status == 200)
                #expect(server.requests.count == 1)
                #expect(other.requests.count == 1)
            }
        }
        for address in ["0.0.0.0", "10.0.0.1", "localhost", "::1", ""] {
            #expect(throws: LoopbackServerError.notLoopback(address: address)) {
                try LoopbackServer(address: address).start()
            }
        }
    }

    @Test func `a port in use throws an error with a sentence`() throws {
        try withServer { server in
            let port = server.port
            #expect(throws: LoopbackServerError.addressInUse(port: port)) {
                try LoopbackServer().start(port: port)
            }
            #expect(throws: LoopbackServerError.alreadyRunning(port: port)) { try server.start() }
            #expect(
                LoopbackServerError.addressInUse(port: 80).localizedDescription
                    == "Port 80 is in use; stop what listens there or start with port 0."
            )
        }
    }

    @Test func `a server that is released stops`() throws {
        var server: LoopbackServer? = LoopbackServer()
        try server?.start()
        let port = try #require(server?.port)
        #expect(try RawClient(port: port).get("/ok").status == 200)
        server = nil
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    }

    @Test func `URLs have the port and keep the query`() throws {
        try withServer { server in
            #expect(server.baseURL.absoluteString == "http://127.0.0.1:\(server.port)/")
            #expect(
                server.url("/a?b=c").absoluteString == "http://127.0.0.1:\(server.port)/a?b=c")
            #expect(server.url("a").path == "/a")
        }
    }

    @Test func `the thread has its name`() throws {
        #if os(Linux)
            try withServer { server in
                #expect(try RawClient(port: server.port).get("/ok").status == 200)
                let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
                let names = tasks.map {
                    try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
                }
                #expect(names.contains("LoopbackServer\n"))
            }
        #endif
    }

    @Test func `seven hundred clients at once are answered`() throws {
        try withServer { server in
            let clients = try (0..<700).map { _ in try RawClient(port: server.port) }
            for client in clients { client.send("GET /gate/all HTTP/1.1\r\n\r\n") }
            #expect(server.waitUntilReached("all", count: 700, timeout: 30))
            #expect(server.statistics.peakInFlight == 700)
            server.release("all")
            for client in clients { #expect(try client.response().status == 200) }
        }
    }

    @Test func `two thousand connections in turn leave none open`() throws {
        try withServer { server in
            for _ in 0..<2_000 {
                let response = try RawClient(port: server.port).get("/ok")
                #expect(response.status == 200)
            }
            #expect(server.waitUntil(timeout: 10) { counters, _ in counters.connectionsOpen == 0 })
            #expect(server.statistics.connectionsAccepted == 2_000)
        }
    }

    #if os(Linux)
        // In a process of its own, since other tests open descriptors at the same time.
        @Test func `no descriptor is left after stop`() async {
            await #expect(processExitsWith: .success) {
                func descriptors() throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                }
                try withServer { _ = try RawClient(port: $0.port).get("/ok") }
                let before = try descriptors()
                let server = LoopbackServer()
                try server.start()
                let paths = [
                    "/ok", "/hang", "/close", "/reset", "/early-413", "/gate/x", "/truncated",
                ]
                let clients = try (0..<70).map { _ in try RawClient(port: server.port) }
                for (index, client) in clients.enumerated() {
                    client.send("GET \(paths[index % paths.count]) HTTP/1.1\r\n\r\n")
                }
                #expect(server.waitUntil(timeout: 10) { counters, _ in counters.requests == 70 })
                #expect(try descriptors() >= before + 70 + 3)
                #expect(throws: LoopbackServerError.self) {
                    try LoopbackServer().start(port: server.port)
                }
                server.stop()
                for client in clients { client.leave() }
                #expect(try descriptors() == before)
            }
        }
    #endif
}
