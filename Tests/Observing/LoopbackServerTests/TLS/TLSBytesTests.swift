import Foundation
import LoopbackServer
import Testing

@Suite("Bytes and faults over TLS", .timeLimit(.minutes(5)))
struct TLSBytesTests {
    @Test func `bodies of 8 MiB go both ways whole`() throws {
        try withTLSServer { server, room in
            let length = 8 << 20
            let client = try RawClient(port: server.port, tls: room.client)
            let answer = try client.get("/bytes/\(length)?seed=7")
            #expect(answer.body == GeneratedBytes.bytes(seed: 7, range: 0..<Int64(length)))
            let head = "POST /ok HTTP/1.1\r\nHost: t\r\nContent-Length: \(length)\r\n\r\n"
            client.send(Data(head.utf8) + answer.body)
            #expect(try client.response().text == "hello world")
            #expect(server.requests.last?.bodyHash == BodyHash.of(answer.body))
        }
    }

    @Test func `64 connections are served at once`() throws {
        try withTLSServer { server, room in
            let clients = try (0..<64).map { _ in
                try RawClient(port: server.port, tls: room.client)
            }
            for client in clients { client.send("GET /gate/all HTTP/1.1\r\nHost: t\r\n\r\n") }
            #expect(server.waitUntilReached("all", count: 64, timeout: 20))
            server.release("all")
            for client in clients { #expect(try client.response().text == "passed all") }
            #expect(server.statistics.peakInFlight == 64)
        }
    }

    @Test func `a handshake that is cut off or never continues harms no other connection`() throws {
        try withTLSServer { server, room in
            let hello = ClientTLS.hello()
            let lengths = [0, 1, 5, 60, hello.count]
            let idle = try lengths.map { length in
                let client = try RawClient(port: server.port)
                client.send(hello.prefix(length))
                return client
            }
            for (index, length) in lengths.enumerated() {
                let client = try RawClient(port: server.port)
                client.send(hello.prefix(length))
                if length == hello.count { _ = try client.exactly(100) }
                client.leave()
                #expect(
                    server.waitUntil(timeout: 20) { counted, _ in
                        counted.failedHandshakes == index + 1
                    })
            }
            #expect(try RawClient(port: server.port, tls: room.client).get("/ok").status == 200)
            #expect(server.statistics.connectionsOpen >= idle.count)
        }
    }

    @Test func `a client that only half closes gets its answer and an orderly end`() throws {
        try withTLSServer { server, room in
            let client = try RawClient(port: server.port, tls: room.client)
            client.send("GET /ok HTTP/1.1\r\nHost: t\r\n\r\n")
            client.endSending()
            #expect(try client.response().text == "hello world")
            #expect(client.toEnd().isEmpty)
            #expect(client.ending == .fin)
        }
    }

    @Test(arguments: [
        (ScriptedResponse.Step.close, RawClient.Ending.fin), (.cut, .cut), (.reset, .reset),
    ])
    func `an end is orderly, a cut or a reset`(
        step: ScriptedResponse.Step, ending: RawClient.Ending
    ) throws {
        try withTLSServer { server, room in
            server.add("/end") { _ in
                ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, [("Content-Length", "100")])),
                    .generated(seed: 1, range: 0..<40), .wait(gate: "end"), step,
                ])
            }
            let client = try RawClient(port: server.port, tls: room.client)
            client.send("GET /end HTTP/1.1\r\nHost: t\r\n\r\n")
            _ = try client.headText()
            #expect(try client.exactly(40).count == 40)
            server.release("end")
            #expect(client.toEnd().isEmpty)
            #expect(client.ending == ending)
            #expect(server.waitUntil(timeout: 20) { counted, _ in counted.connectionsOpen == 0 })
            #expect(server.statistics.abandoned == 0)
        }
    }

    @Test func `a client that leaves amid an answer ends that answer alone`() throws {
        try withTLSServer { server, room in
            for count in 1...8 {
                let client = try RawClient(port: server.port, tls: room.client)
                client.send("GET /bytes/100000000 HTTP/1.1\r\nHost: t\r\n\r\n")
                _ = try client.exactly(100_000)
                client.leave()
                #expect(server.waitUntil(timeout: 20) { counted, _ in counted.abandoned == count })
            }
            #expect(try RawClient(port: server.port, tls: room.client).get("/ok").status == 200)
        }
    }

    @Test func `what is no request is refused and the end is orderly`() throws {
        try withTLSServer { server, room in
            let client = try RawClient(port: server.port, tls: room.client)
            client.send("nonsense\r\n\r\n")
            #expect(try client.response().status == 400)
            #expect(client.toEnd().isEmpty)
            #expect(client.ending == .fin)
        }
    }

    @Test func `a request behind a slowly read body is not forgotten`() throws {
        try withTLSServer { server, room in
            server.add("/slow", beforeBody: true) { _ in
                ScriptedResponse.text("read").after(.readBodySlowly(bytesPerSecond: 10_000))
            }
            let client = try RawClient(port: server.port, tls: room.client)
            client.send("POST /slow HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n")
            #expect(server.waitUntil(timeout: 20) { counted, _ in counted.inFlight == 1 })
            // One record, of which the slow reader takes the first part alone.
            let many = String(repeating: "x", count: 8_000)
            client.send(
                many.prefix(1_000) + "GET /ok HTTP/1.1\r\nHost: t\r\nX-Many: \(many)\r\n\r\n")
            #expect(try client.response().text == "read")
            #expect(try client.response().text == "hello world")
        }
    }

    @Test func `a stop ends connections in every phase`() throws {
        try withTLSServer { server, room in
            let shaking = try RawClient(port: server.port)
            let idle = try RawClient(port: server.port, tls: room.client)
            let busy = try RawClient(port: server.port, tls: room.client)
            busy.send("GET /gate/never HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(server.waitUntilReached("never"))
            server.stop()
            for client in [shaking, idle, busy] {
                #expect(client.toEnd().isEmpty)
                #expect(client.ending != .timeout)
            }
            #expect(server.statistics.connectionsOpen == 0)
        }
    }
}
