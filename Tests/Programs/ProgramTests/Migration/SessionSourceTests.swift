import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import SessionEra
import SessionTasks
import Testing

/// What Documentation/Migration/Sessions.md shows as "after".
@Suite("New sources: session managers", .timeLimit(.minutes(5)))
struct SessionSourceTests {
    @Test
    func `prices, an order, and a refusal's body`() async throws {
        let room = try Room()
        room.server.add("/prices") { _ in .json("{\"tea\":2.5}") }
        room.server.add("/orders") { _ in .json("{\"number\":7}") }
        room.server.add("/missing") { _ in .json("{\"why\":\"gone\"}", status: 404) }
        #expect(await answer { prices(room.baseURL, completion: $0) } == ["tea": 2.5])
        #expect(room.server.requests.first?.headers["X-Client"] == "shop/2")
        let client = OrderClient(manager: HTTPSessionManager(baseURL: room.baseURL))
        let number: Int? = await answer { finish in
            client.order(["tea": 1]) { number, _ in finish(number) }
        }
        #expect(number == 7)
        #expect(room.server.requests.last?.headers["Content-Type"] == "application/json")
        let told: String = await answer { finish in
            readRefusal(room.url("/missing")) { finish("\($0) \($1)") }
        }
        #expect(told == "404 {\"why\":\"gone\"}")
    }

    @Test
    func `an album, an episode and a backup`() async throws {
        let room = try Room()
        room.server.add("/photos") { _ in .json("{}") }
        room.server.add("/episode.mp3") { _ in .data(Data(repeating: 3, count: 100_000)) }
        let (shares, continuation) = AsyncStream.makeStream(of: Double.self)
        let album = AlbumClient()
        let isSent: Bool = await answer { finish in
            album.send(
                Data(count: 100_000), to: room.url("/photos"),
                progress: { continuation.yield($0) }, completion: finish)
        }
        continuation.finish()
        var last = 0.0
        for await share in shares { last = share }
        #expect(isSent && last == 1)
        let folder = try room.file("marker", Data()).deletingLastPathComponent()
        let loader = EpisodeLoader()
        let file: URL? = await answer { finish in
            loader.load(room.server.url("/episode.mp3"), into: folder, progress: { _ in }) {
                file, _ in finish(file)
            }
        }
        #expect(try file.map { try Data(contentsOf: $0).count } == 100_000)
        let source = try room.file("body", Data("abc".utf8))
        let backup = BackupClient()
        let status: Int? = await answer {
            backup.store(source, at: room.server.url("/upload"), completion: $0)
        }
        #expect(status == 200)
        #expect(room.server.requests.last?.body == Data("abc".utf8))
    }

    @Test
    @MainActor
    func `a download that was stopped goes on`() async throws {
        let room = try Room()
        let body = Data(repeating: 7, count: 200_000)
        room.server.hold("half")
        room.server.add("/tape") { request in
            if let range = request.headers["Range"], let from = Int(range.dropFirst(6).dropLast()) {
                return .data(
                    body.dropFirst(from), status: 206,
                    headers: [
                        ("ETag", "\"one\""), ("Content-Range", "bytes \(from)-199999/200000"),
                    ])
            }
            let head = ScriptedResponse.head(
                200, [("ETag", "\"one\""), ("Content-Length", "200000")])
            return ScriptedResponse([.bytes(head + body.prefix(100_000)), .wait(gate: "half")])
        }
        let download = StoppedDownload()
        let file = try room.file("tape", Data())
        try FileManager.default.removeItem(at: file)
        let (ends, continuation) = AsyncStream.makeStream(of: Bool.self)
        download.start(room.server.url("/tape"), to: file) { continuation.yield($0) }
        while download.task?.countOfBytesReceived != 100_000 { await Task.yield() }
        download.stop()
        var end = ends.makeAsyncIterator()
        #expect(await end.next() == false)
        while download.resumeData == nil { await Task.yield() }
        room.server.release("half")
        download.start(room.server.url("/tape"), to: file) { continuation.yield($0) }
        #expect(await end.next() == true)
        #expect(try Data(contentsOf: file) == body)
    }

    @Test
    func `a pinned manager talks to the server that has the pin, and to no other`() async throws {
        let room = try Room()
        let identity = try TLSIdentity(.loopback)
        let pin = try room.file("pin.cer", identity.der)
        var statuses: [Int?] = []
        for shown in [identity, try TLSIdentity(.loopback)] {
            let server = LoopbackServer(tls: TLSSettings(shown))
            try server.start()
            defer { server.stop() }
            let manager = try pinnedSessions(server.baseURL, certificate: pin)
            // The test's certificate has signed itself.
            manager.securityPolicy.allowInvalidCertificates = true
            let status: Int? = await answer { finish in
                manager.get("json") { task, _ in
                    finish((task.response as? HTTPURLResponse)?.statusCode)
                } failure: { _, _ in
                    finish(nil)
                }
            }
            statuses.append(status)
        }
        #expect(statuses == [200, nil])
    }

    @Test
    func `a login, a redirect and a log`() async throws {
        let room = try Room()
        let area = MemberArea(user: "user", password: "pass")
        area.manager.responseSerializer = HTTPResponseSerializer()
        #expect(await answer { area.enter(room.url("/basic"), completion: $0) })
        let manager = HTTPSessionManager()
        manager.responseSerializer = HTTPResponseSerializer()
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let log = TrafficLog()
        log.start { continuation.yield($0) }
        let place: String? = await answer {
            expand(room.server.url("/redirect?to=/json"), with: manager, completion: $0)
        }
        #expect(place == "/json")
        var line = lines.makeAsyncIterator()
        #expect(await line.next() != nil)
        log.stop()
    }

    @Test
    @MainActor
    func `a sign hears of the network`() async throws {
        let manager = HTTPSessionManager()
        // One of its own: the shared one would tell other tests of the network.
        manager.reachabilityManager = NetworkReachabilityManager()
        let sign = OfflineSign(manager: manager)
        let (reports, continuation) = AsyncStream.makeStream(of: Void.self)
        let token = NotificationCenter.default.addObserver(
            forName: .networkingReachabilityDidChange, object: nil, queue: nil
        ) { _ in continuation.yield() }
        sign.watch()
        for await _ in reports where sign.manager.reachabilityManager.status != .unknown { break }
        NotificationCenter.default.removeObserver(token)
        #expect(sign.isShown == (sign.manager.reachabilityManager.status == .notReachable))
        sign.manager.reachabilityManager.stopMonitoring()
    }
}
