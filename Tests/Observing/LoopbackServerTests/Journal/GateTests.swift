import Dispatch
import Foundation
import Testing

@testable import LoopbackServer

@Suite("Gates, counters and leaving clients", .timeLimit(.minutes(5)))
struct GateTests {
    @Test func `a response at a closed gate waits until the gate is released`() throws {
        try withServer { server in
            server.hold("g")
            let client = try RawClient(port: server.port)
            client.send("GET /gate/g HTTP/1.1\r\n\r\n")
            #expect(server.waitUntilReached("g"))
            #expect(server.statistics.inFlight == 1)
            #expect(server.statistics.bytesSent == 0)
            server.release("g")
            #expect(try client.response().text == "passed g")
            #expect(try client.get("/gate/g").text == "passed g")
            server.hold("g")
            client.send("GET /gate/g HTTP/1.1\r\n\r\n")
            #expect(server.waitUntilReached("g", count: 3))
            #expect(server.statistics.inFlight == 1)
        }
    }

    @Test func `a gate stops an answer between two steps`() throws {
        try withServer { server in
            server.add("/two") { _ in
                ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, [("Content-Length", "6")])),
                    .bytes(Data("one".utf8)),
                    .wait(gate: "middle"), .bytes(Data("two".utf8)),
                ])
            }
            let client = try RawClient(port: server.port)
            client.send("GET /two HTTP/1.1\r\n\r\n")
            _ = try client.headText()
            #expect(try client.exactly(3) == Data("one".utf8))
            #expect(server.waitUntilReached("middle"))
            server.release("middle")
            #expect(try client.exactly(3) == Data("two".utf8))
        }
    }

    @Test func `peak counts the requests in flight at once`() throws {
        try withServer { server in
            let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
            for client in clients { client.send("GET /gate/p HTTP/1.1\r\n\r\n") }
            #expect(server.waitUntilReached("p", count: 20))
            #expect(server.statistics.inFlight == 20)
            server.release("p")
            for client in clients { #expect(try client.response().status == 200) }
            for client in clients { #expect(try client.get("/ok").status == 200) }
            #expect(server.waitUntil(timeout: 10) { counters, _ in counters.inFlight == 0 })
            #expect(server.statistics.peakInFlight == 20)
            #expect(server.statistics.peakConnections == 20)
            #expect(try clients[0].get("/peak").text == "20")
            #expect(server.statistics.requests == 41)
        }
    }

    @Test func `a release with a count lets that many through`() throws {
        try withServer { server in
            let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            for client in clients { client.send("GET /gate/c HTTP/1.1\r\n\r\n") }
            #expect(server.waitUntilReached("c", count: 3))
            server.release("c", count: 2)
            #expect(server.waitUntil(timeout: 10) { counters, _ in counters.inFlight == 1 })
            server.release("c", count: 1)
            for client in clients { #expect(try client.response().status == 200) }
        }
    }

    @Test(arguments: ["/gate/away", "/hang", "/delay/3000", "/hang-body", "/drip?delay=3000"])
    func `a client that leaves during an answer frees its connection`(path: String) throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET \(path) HTTP/1.1\r\n\r\n")
            #expect(server.waitUntil(timeout: 10) { counters, _ in counters.inFlight == 1 })
            client.leave()
            #expect(server.waitUntil(timeout: 10) { counters, _ in counters.connectionsOpen == 0 })
            #expect(server.statistics.inFlight == 0)
            #expect(server.statistics.abandoned == 1)
        }
    }

    @Test func `a client that leaves its unread upload frees its connection`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST /unread HTTP/1.1\r\nContent-Length: 1000\r\n\r\npart")
            #expect(server.waitUntil(timeout: 10) { counters, _ in counters.inFlight == 1 })
            client.leave()
            #expect(server.waitUntil(timeout: 10) { counters, _ in counters.connectionsOpen == 0 })
        }
    }

    @Test func `a request after a leaving is never counted beside it`() throws {
        try withServer { server in
            for round in 1...300 {
                let client = try RawClient(port: server.port)
                client.send("GET /gate/never HTTP/1.1\r\n\r\n")
                #expect(server.waitUntilReached("never", count: round))
                client.leave()
            }
            #expect(server.statistics.peakInFlight == 1)
        }
    }

    @Test func `clients that left are gone before new requests are counted`() throws {
        try withServer { server in
            let block = Block(server)
            let next = try (0..<3).map { _ in try RawClient(port: server.port) }
            for client in next { #expect(try client.get("/ok").status == 200) }
            let leaving = try (0..<2).map { _ in try RawClient(port: server.port) }
            for client in leaving { client.send("GET /gate/x HTTP/1.1\r\n\r\n") }
            #expect(server.waitUntilReached("x", count: 2))
            let blocker = try RawClient(port: server.port)
            blocker.send("GET /block HTTP/1.1\r\n\r\n")
            block.waitUntilEntered()
            for client in leaving { client.leave() }
            for client in next { client.send("GET /gate/x HTTP/1.1\r\n\r\n") }
            block.leave()
            #expect(server.waitUntilReached("x", count: 5))
            #expect(server.statistics.peakInFlight == 3)
        }
    }

    @Test func `a close step is FIN also when input is unread`() throws {
        try withServer { server in
            let block = Block(server)
            let client = try RawClient(port: server.port)
            client.send("GET /block HTTP/1.1\r\n\r\n")
            block.waitUntilEntered()
            client.send("GET /unread HTTP/1.1\r\n\r\n")
            block.leave()
            #expect(client.toEnd().isEmpty)
            #expect(client.ending == .fin)
        }
    }

    @Test func `of gates and counters without number the oldest are forgotten`() {
        let journal = Journal()
        let count = 2 * Journal.tableLimit + 1
        for number in 0..<count {
            _ = (journal.count("used"), journal.count("\(number)"))
            _ = journal.pass("\(number)", isArrival: true)
        }
        #expect(journal.count("used") == count + 1)
        #expect(journal.count("\(count - 1)") == 2)
        #expect(journal.count("0") == 1)
        #expect(journal.waitForArrivals("\(count - 1)", count: 1, timeout: 0))
        #expect(!journal.waitForArrivals("0", count: 1, timeout: 0))
    }

    @Test(arguments: ["/gate/", "/flaky?fail=0&id=", "/x/hits/", "/x/flaky?fail=0&id="])
    func `a name of a gate or a counter that is too long is refused`(path: String) throws {
        try withServer(path.hasPrefix("/x/") ? .httpbin : .standard) { server in
            let name = String(repeating: "n", count: Journal.nameLimit)
            server.release(name)
            let client = try RawClient(port: server.port)
            #expect(try client.get(path + name).status == 200)
            #expect(try client.get(path + name + "n").status == 414)
        }
    }

    @Test func `waitUntil returns false after its timeout`() throws {
        try withServer { server in
            #expect(!server.waitUntil(timeout: 0.01) { counters, _ in counters.requests > 0 })
            #expect(!server.waitUntilReached("nothing", timeout: 0.01))
        }
    }

    @Test func `waitUntil sees the log`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET /hang?x=1 HTTP/1.1\r\n\r\n")
            #expect(server.waitUntil(timeout: 10) { _, log in log.first?.query["x"] == "1" })
        }
    }

    @Test func `an added route answers by exact path or by prefix`() throws {
        try withServer { server in
            server.add("/mine") { .text("mine \($0.method)") }
            server.add("/mine/", isPrefix: true) { .text("below \($0.path)") }
            server.add("/mine/deep/", isPrefix: true) { _ in .text("deep") }
            let client = try RawClient(port: server.port)
            #expect(try client.get("/mine").text == "mine GET")
            #expect(try client.get("/mine/a").text == "below /mine/a")
            #expect(try client.get("/mine/deep/b").text == "deep")
            #expect(try client.get("/other").status == 404)
            server.add("/mine") { _ in .text("new") }
            #expect(try client.get("/mine").text == "new")
        }
    }
}

/// A route "/block" that keeps the server's thread from looking at its sockets, then closes.
private struct Block {
    private let entered = DispatchSemaphore(value: 0)
    private let left = DispatchSemaphore(value: 0)

    init(_ server: LoopbackServer) {
        server.add("/block") { [entered, left] _ in
            entered.signal()
            _ = left.wait(timeout: .now() + 10)
            return ScriptedResponse([.close])
        }
    }

    func waitUntilEntered() {
        #expect(entered.wait(timeout: .now() + 10) == .success)
    }

    func leave() {
        left.signal()
    }
}
