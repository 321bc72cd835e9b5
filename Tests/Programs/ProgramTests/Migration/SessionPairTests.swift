import AFNetworking
@testable import OldAFNetworking
import TestSupport

/// What Documentation/Migration/Sessions.md shows, before and after.
@Suite("Pairs for session managers", .timeLimit(.minutes(5)))
struct SessionPairTests {
    @Test(arguments: Spelling.allCases)
    func `prices, an order, and a refusal's body`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/prices") { _ in .json("{\"tea\":2.5}") }
        world.server.add("/orders") { request in
            String(decoding: request.body, as: UTF8.self).contains("tea")
                ? .json("{\"number\":7}") : .status(409)
        }
        world.server.add("/missing") { _ in .json("{\"why\":\"gone\"}", status: 404) }
        let table: [String: Double]? = await answer { finish in
            switch spelling {
            case .before: OldAFNetworking.prices(world.baseURL, completion: finish)
            case .after: ProgramTests.prices(world.baseURL, completion: finish)
            }
        }
        #expect(table == ["tea": 2.5])
        #expect(world.server.requests.first?.headers["X-Client"] == "shop/2")
        let old = OldAFNetworking.OrderClient(baseURL: world.baseURL)
        let new = OrderClient(manager: HTTPSessionManager(baseURL: world.baseURL))
        let number: Int? = await answer { finish in
            switch spelling {
            case .before: old.order(["tea": 1]) { number, _ in finish(number) }
            case .after: new.order(["tea": 1]) { number, _ in finish(number) }
            }
        }
        #expect(number == 7)
        #expect(world.server.requests.last?.headers["Content-Type"] == "application/json")
        let url = world.address("/missing")
        let reported: String = await answer { finish in
            switch spelling {
            case .before: OldAFNetworking.readRefusal(url) { finish("\($0) \($1)") }
            case .after: ProgramTests.readRefusal(url) { finish("\($0) \($1)") }
            }
        }
        #expect(reported == "404 {\"why\":\"gone\"}")
    }

    @Test(arguments: Spelling.allCases)
    func `an album, an episode and a backup`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/photos") { _ in .json("{}") }
        world.server.add("/episode.mp3") { _ in .data(Data(repeating: 3, count: 100_000)) }
        let photo = Data(count: 100_000)
        let shares = Log<Double>()
        let (oldAlbum, newAlbum) = (OldAFNetworking.AlbumClient(), AlbumClient())
        let isSent: Bool = await answer { finish in
            let url = world.address("/photos")
            switch spelling {
            case .before:
                oldAlbum.send(photo, to: url, progress: { shares.add($0) }, completion: finish)
            case .after:
                newAlbum.send(photo, to: url, progress: { shares.add($0) }, completion: finish)
            }
        }
        #expect(isSent && shares.all.last == 1)
        let (oldLoader, newLoader) = (OldAFNetworking.EpisodeLoader(), EpisodeLoader())
        let file: URL? = await answer { finish in
            let url = world.server.url("/episode.mp3")
            switch spelling {
            case .before:
                oldLoader.load(url, into: world.folder, progress: { _ in }) { file, _ in
                    finish(file)
                }
            case .after:
                newLoader.load(url, into: world.folder, progress: { _ in }) { file, _ in
                    finish(file)
                }
            }
        }
        #expect(try file.map { try Data(contentsOf: $0).count } == 100_000)
        let source = try world.files.write("body", Data("abc".utf8))
        let (oldBackup, newBackup) = (OldAFNetworking.BackupClient(), BackupClient())
        let status: Int? = await answer { finish in
            let url = world.server.url("/upload")
            switch spelling {
            case .before: oldBackup.store(source, at: url, completion: finish)
            case .after: newBackup.store(source, at: url, completion: finish)
            }
        }
        #expect(status == 200)
        #expect(world.bodies("/upload") == ["abc"])
    }

    @Test(arguments: Spelling.allCases) @MainActor
    func `a download that was stopped goes on`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        let body = Data(repeating: 7, count: 200_000)
        world.addTape("/tape", body)
        let (old, new) = (OldAFNetworking.StoppedDownload(), StoppedDownload())
        let ends = Log<Bool>()
        let (url, file) = (world.server.url("/tape"), world.file("tape"))
        let start = {
            switch spelling {
            case .before: old.start(url, to: file) { ends.add($0) }
            case .after: new.start(url, to: file) { ends.add($0) }
            }
        }
        start()
        #expect(
            await comesTrue {
                (old.task?.countOfBytesReceived ?? new.task?.countOfBytesReceived) == 100_000
            })
        old.stop()
        new.stop()
        #expect(await ends.reaches(1))
        #expect(await comesTrue { (old.resumeData ?? new.resumeData) != nil })
        world.server.release("half")
        start()
        #expect(await ends.reaches(2))
        #expect(ends.all == [false, true])
        let isWhole = try Data(contentsOf: file) == body
        #expect(isWhole)
    }

    @Test(arguments: Spelling.allCases)
    func `a pinned manager talks to the server that has the pin, and to no other`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .standard)
        let identity = try TLSIdentity(.loopback)
        let pin = try world.files.write("pin.cer", identity.der)
        var statuses: [Int?] = []
        for shown in [identity, try TLSIdentity(.loopback)] {
            let server = LoopbackServer(tls: TLSSettings(shown))
            try server.start()
            defer { server.stop() }
            let manager =
                switch spelling {
                case .before:
                    try OldAFNetworking.pinnedSessions(server.baseURL, certificate: pin)
                case .after: try ProgramTests.pinnedSessions(server.baseURL, certificate: pin)
                }
            #expect(manager.securityPolicy.pinningMode == .certificate)
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

    @Test(arguments: Spelling.allCases)
    func `a login, a redirect and a log`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        let oldArea = OldAFNetworking.MemberArea(user: "user", password: "pass")
        let newArea = MemberArea(user: "user", password: "pass")
        oldArea.manager.responseSerializer = HTTPResponseSerializer()
        newArea.manager.responseSerializer = HTTPResponseSerializer()
        let isIn: Bool = await answer { finish in
            switch spelling {
            case .before: oldArea.enter(world.address("/basic"), completion: finish)
            case .after: newArea.enter(world.address("/basic"), completion: finish)
            }
        }
        #expect(isIn)
        let manager = HTTPSessionManager()
        manager.responseSerializer = HTTPResponseSerializer()
        let (oldLog, newLog) = (OldAFNetworking.TrafficLog(), TrafficLog())
        let lines = Log<String>()
        switch spelling {
        case .before: oldLog.start(manager)
        case .after: newLog.start { lines.add($0) }
        }
        let place: String? = await answer { finish in
            let url = world.server.url("/redirect?to=/json")
            switch spelling {
            case .before: OldAFNetworking.expand(url, with: manager, completion: finish)
            case .after: ProgramTests.expand(url, with: manager, completion: finish)
            }
        }
        #expect(place == "/json")
        #expect(await comesTrue { !(oldLog.lines + lines.all).isEmpty })
        oldLog.stop()
        newLog.stop()
    }

    @Test(arguments: Spelling.allCases) @MainActor
    func `a sign hears of the network`(_ spelling: Spelling) async throws {
        let manager = HTTPSessionManager()
        // One of its own: the shared one would tell other tests of the network.
        manager.reachabilityManager = NetworkReachabilityManager()
        let (old, new) = (
            OldAFNetworking.OfflineSign(manager: manager), OfflineSign(manager: manager)
        )
        let (reports, continuation) = AsyncStream.makeStream(of: Void.self)
        let token = NotificationCenter.default.addObserver(
            forName: .networkingReachabilityDidChange, object: nil, queue: nil
        ) { _ in continuation.yield() }
        switch spelling {
        case .before: old.watch()
        case .after: new.watch()
        }
        for await _ in reports where manager.reachabilityManager.status != .unknown { break }
        NotificationCenter.default.removeObserver(token)
        let isShown = spelling == .before ? old.isShown : new.isShown
        #expect(isShown == (manager.reachabilityManager.status == .notReachable))
        manager.reachabilityManager.stopMonitoring()
    }
}
