import AFNetworking
import LoopbackServer
import Testing

@Suite("Old sources: operations", .timeLimit(.minutes(5)))
struct OldOperationTests {
    @Test
    func `an operation runs without a queue`() async throws {
        let room = try Room()
        let (object, error): (Any?, Error?) = await answer { finish in
            _ = loadOnce(room.server.url("/json")) { finish(($0, $1)) }
        }
        #expect((object as? [String: String]) == ["a": "b"])
        #expect(error == nil)
    }

    @Test
    @MainActor
    func `a download lies in the file, and its progress ends at one`() async throws {
        let room = try Room()
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        room.server.add("/big") { _ in .data(data) }
        let file = try room.file("big.bin", Data())
        var shares: [Float] = []
        let error: Error? = await answer { finish in
            AFNetworkingTests.download(
                room.server.url("/big"), to: file.path, progress: { shares.append($0) },
                completion: { finish($0) })
        }
        #expect(error == nil)
        #expect(try Data(contentsOf: file) == data)
        #expect(shares.last == 1)
        #expect(shares == shares.sorted())
    }

    @Test
    func `credentials work as a header, as a credential and from a block`() async throws {
        let room = try Room()
        #expect(await answer { authorizedByHeader(room.url("/basic"), $0) })
        #expect(room.server.requests.count == 1)
        #expect(await answer { authorizedByCredential(room.server.url("/basic"), $0) })
        #expect(await answer { authorizedByBlock(room.server.url("/basic"), $0) })
        #expect(room.server.requests.count == 5)
    }

    @Test
    func `a batch counts up and ends once`() async throws {
        let room = try Room()
        let runner = BatchRunner()
        let urls = ["/ok", "/json", "/status/500"].map { room.server.url($0) }
        let good = await answer { runner.run(urls, completion: $0) }
        #expect(good == 2)
        // Each step tells how many have finished by then, which may be all of them (BA-4).
        #expect(runner.steps.count == 3)
        #expect(runner.steps.last == "3 of 3")
    }

    @Test
    func `a dependent request leaves after the one it waits for`() async throws {
        let room = try Room()
        await done { chain(room.server.url("/ok?1"), room.server.url("/ok?2"), $0) }
        #expect(room.server.requests.map(\.target) == ["/ok?1", "/ok?2"])
    }

    @Test
    func `a batch leaves after the operation it depends on, and ends once`() async throws {
        let room = try Room()
        let episodes = ["/ok?1", "/ok?2", "/ok?3"].map { room.server.url($0) }
        let sync = EpisodeSync()
        #expect(await answer { sync.run(room.server.url("/json"), episodes, completion: $0) } == 3)
        #expect(sync.steps.last == "3 of 3")
        #expect(room.server.requests.first?.path == "/json")
        #expect(room.server.requests.count == 4)
    }

    @Test
    func `a redirect is followed or refused by a block`() async throws {
        let room = try Room()
        room.server.add("/from") { _ in .redirect(to: "/ok") }
        let from = room.server.url("/from")
        let (end, status): (URL?, Int) = await answer { finish in
            finalURL(from, followsRedirects: true) { finish(($0, $1)) }
        }
        #expect(end?.path == "/ok")
        #expect(status == 200)
        let (stay, refused): (URL?, Int) = await answer { finish in
            finalURL(from, followsRedirects: false) { finish(($0, $1)) }
        }
        #expect(stay?.path == "/from")
        #expect(refused == 302)
    }

    @Test
    func `pause holds an operation and resume ends it with all bytes`() async throws {
        let room = try Room()
        let data = Data(repeating: 7, count: 200_000)
        room.server.hold("half")
        room.server.add("/tape") { request in
            let head = [("ETag", "\"t\""), ("Accept-Ranges", "bytes")]
            if let range = request.headers["Range"], let from = Int(range.dropFirst(6).dropLast()) {
                let part = data.dropFirst(from)
                let place = "bytes \(from)-\(data.count - 1)/\(data.count)"
                return .data(Data(part), status: 206, headers: head + [("Content-Range", place)])
            }
            let whole = ScriptedResponse.head(200, head + [("Content-Length", "\(data.count)")])
            // A pause that is over at once may find its connection still there.
            let (first, rest) = (data.prefix(100_000), data.dropFirst(100_000))
            return ScriptedResponse([
                .bytes(whole + first), .wait(gate: "half"), .bytes(Data(rest)),
            ])
        }
        let player = Player(url: room.server.url("/tape"))
        async let end: Void = done { finish in
            player.operation.setCompletionBlockWithSuccess(
                { _, _ in finish() }, failure: { _, _ in finish() })
            player.operation.start()
        }
        await room.reached("half")
        player.toggle()
        #expect(player.operation.isPaused())
        player.toggle()
        room.server.release("half")
        await end
        #expect(player.operation.isPaused() == false)
        #expect(player.operation.responseData == data)
    }

    @Test
    @MainActor
    func `a log hears of every operation's start and finish`() async throws {
        let room = try Room()
        let logger = ActivityLogger()
        logger.start()
        let path = "/status/204"
        await done { finish in
            AFHTTPRequestOperationManager().get(
                room.url(path), parameters: nil, success: { _, _ in finish() },
                failure: { _, _ in finish() })
        }
        // The finish is posted on main before the block is called there, so both are in.
        await MainActor.run {}
        logger.stop()
        let lines = logger.lines.filter { $0.hasSuffix(path) }
        #expect(lines == ["start " + path, "finish 204 " + path])
    }

    @Test
    func `a block that is nil, and typed as of old, takes the one before away`() async throws {
        let room = try Room()
        let operation = AFHTTPRequestOperation(request: URLRequest(url: room.server.url("/json")))
        operation.setDownloadProgressBlock { _, _, _ in Issue.record("progress was told") }
        operation.setRedirectResponseBlock { _, _, _ in
            Issue.record("a redirect was asked about")
            return nil
        }
        let progress: ((UInt, Int64, Int64) -> Void)? = nil
        let redirect: ((NSURLConnection, URLRequest, URLResponse) -> URLRequest?)? = nil
        operation.setDownloadProgressBlock(progress)
        operation.setRedirectResponseBlock(redirect)
        await done { finish in
            operation.completionBlock = { finish() }
            operation.start()
        }
        #expect(operation.response?.statusCode == 200)
    }
}
