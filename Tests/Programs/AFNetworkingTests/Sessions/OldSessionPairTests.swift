import AFNetworking
import LoopbackServer
import TestSupport
import Testing

/// What Documentation/Migration/Sessions.md shows as "before".
@Suite("Old sources: the pairs for session managers", .timeLimit(.minutes(1)))
struct OldSessionPairTests {
    @Test
    func `prices, an order, and a refusal's body`() async throws {
        let room = try Room()
        room.server.add("/prices") { _ in .json("{\"tea\":2.5}") }
        room.server.add("/orders") { request in
            String(decoding: request.body, as: UTF8.self).contains("tea")
                ? .json("{\"number\":7}") : .status(409)
        }
        room.server.add("/missing") { _ in .json("{\"why\":\"gone\"}", status: 404) }
        #expect(await answer { prices(room.baseURL, completion: $0) } == ["tea": 2.5])
        #expect(room.server.requests.first?.headers["X-Client"] == "shop/2")
        let client = OrderClient(baseURL: room.baseURL)
        let number: Int? = await answer { finish in
            client.order(["tea": 1]) { number, _ in finish(number) }
        }
        #expect(number == 7)
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
        let fractions = Fractions()
        let isSent: Bool = await answer { finish in
            AlbumClient().send(
                Data(count: 100_000), to: room.url("/photos"), progress: fractions.add,
                completion: finish)
        }
        #expect(isSent && fractions.all.last == 1)
        let folder = try room.file("marker", Data()).deletingLastPathComponent()
        let loader = EpisodeLoader()
        let file: URL? = await answer { finish in
            loader.load(room.server.url("/episode.mp3"), into: folder, progress: { _ in }) {
                file, _ in finish(file)
            }
        }
        #expect(try file.map { try Data(contentsOf: $0).count } == 100_000)
        let source = try room.file("body", Data("abc".utf8))
        let status: Int? = await answer {
            BackupClient().store(source, at: room.server.url("/upload"), completion: $0)
        }
        #expect(status == 200)
        #expect(room.bodies("/upload") == ["abc"])
    }

    @Test
    func `a download that was stopped goes on`() async throws {
        let room = try Room()
        let body = Data(repeating: 7, count: 200_000)
        room.server.hold("half")
        room.server.add("/tape") { stoppedTape($0, body) }
        let download = StoppedDownload()
        let file = try room.file("tape", Data())
        try FileManager.default.removeItem(at: file)
        let first: Bool = await answer { finish in
            download.start(room.server.url("/tape"), to: file, completion: finish)
            Task {
                await room.reached("half")
                while download.task?.countOfBytesReceived != 100_000 { await Task.yield() }
                download.stop()
            }
        }
        #expect(!first)
        while download.resumeData == nil { await Task.yield() }
        room.server.release("half")
        #expect(
            await answer {
                download.start(room.server.url("/tape"), to: file, completion: $0)
            })
        #expect(try Data(contentsOf: file) == body)
    }

    @Test
    func `a pin, a login, a redirect, a log and a sign`() async throws {
        let room = try Room()
        let pin = try room.file("pin.cer", try TLSIdentity(.loopback).der)
        let pinned = try pinnedSessions(
            URL(string: "https://127.0.0.1:1/")!, certificate: pin)
        #expect(pinned.securityPolicy.pinningMode == .certificate)
        let area = MemberArea(user: "user", password: "pass")
        area.manager.responseSerializer = AFHTTPResponseSerializer()
        #expect(await answer { area.enter(room.url("/basic"), completion: $0) })
        let manager = AFHTTPSessionManager()
        manager.responseSerializer = AFHTTPResponseSerializer()
        let log = TrafficLog()
        log.start(manager)
        let place: String? = await answer {
            expand(room.server.url("/redirect?to=/json"), with: manager, completion: $0)
        }
        #expect(place == "/json")
        while log.lines.isEmpty { await Task.yield() }
        log.stop()
        manager.reachabilityManager = AFNetworkReachabilityManager()
        let sign = OfflineSign(manager: manager)
        sign.watch()
        manager.reachabilityManager.stopMonitoring()
        #expect(!sign.isShown)
    }
}

/// Half of the body, then a gate; the rest for a range.
func stoppedTape(_ request: RecordedRequest, _ body: Data) -> ScriptedResponse {
    if let range = request.headers["Range"], let from = Int(range.dropFirst(6).dropLast()) {
        return .data(
            body.dropFirst(from), status: 206,
            headers: [
                ("ETag", "\"one\""), ("Content-Range", "bytes \(from)-199999/200000"),
            ])
    }
    let head = ScriptedResponse.head(200, [("ETag", "\"one\""), ("Content-Length", "200000")])
    return ScriptedResponse([
        .bytes(head + body.prefix(100_000)), .wait(gate: "half"),
    ])
}
