import AFNetworking
@testable import OldAFNetworking
import TestSupport

/// Habits that MIGRATION.md shows, before and after.
@Suite("Pairs about habits", .timeLimit(.minutes(5)))
struct OperationHabitTests {
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
                    OldAFNetworking.pinnedBank(server.baseURL, certificate: pin.path)
                case .after: try ProgramTests.pinnedBank(server.baseURL, certificate: pin)
                }
            // The test's certificate has signed itself.
            manager.securityPolicy.allowInvalidCertificates = true
            let status: Int? = await answer { finish in
                manager.get("json") { operation, _ in
                    finish(operation.response?.statusCode)
                } failure: { operation, _ in
                    finish(operation?.response?.statusCode)
                }
            }
            statuses.append(status)
            #expect(server.requests.count == (status == nil ? 0 : 1))
        }
        #expect(statuses == [200, nil])
        guard spelling == .after else { return }
        let none = try world.files.write("none.cer", Data("no certificate".utf8))
        #expect(throws: CertificateError.self) {
            try ProgramTests.pinnedBank(world.baseURL, certificate: none)
        }
    }

    @Test(arguments: Spelling.allCases)
    func `an upload's meter climbs to one`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/upload") { _ in .json("{}") }
        let file = try world.files.write("v.mp4", Data(repeating: 1, count: 300_000))
        let shares = Log<Double>()
        let (old, new) = (OldAFNetworking.UploadMeter(), UploadMeter())
        let queue = (spelling == .before ? old.manager : new.manager).operationQueue
        // Held, so that nothing is sent before the block is set.
        queue.isSuspended = true
        let error: (any Error)? = await answer { finish in
            let url = world.address("/upload")
            switch spelling {
            case .before:
                old.send(file, to: url, meter: { shares.add(Double($0)) }, completion: finish)
            case .after:
                new.send(file, to: url, meter: { shares.add($0) }, completion: finish)
            }
            queue.isSuspended = false
        }
        await MainActor.run {}
        #expect(error == nil)
        #expect(shares.all.last == 1)
        #expect(shares.all == shares.all.sorted())
    }

    @Test(arguments: Spelling.allCases) @MainActor
    func `a player pauses and goes on, and has all bytes`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        world.addTape("/tape", data)
        let url = world.server.url("/tape")
        let counts = Log<Int64>()
        let old = OldAFNetworking.Player(url: url)
        let new = Player(url: url) { counts.add($0) }
        let operation = spelling == .before ? old.operation : new.operation
        let toggle = { spelling == .before ? old.toggle() : new.toggle() }
        let end = Task {
            await answer { (finish: @escaping @Sendable (Bool) -> Void) in
                operation.setCompletionBlock { _, _ in
                    finish(true)
                } failure: { _, _ in
                    finish(false)
                }
                operation.start()
            }
        }
        #expect(await comesTrue { old.received == 100_000 || counts.all.last == 100_000 })
        toggle()
        #expect(operation.isPaused)
        toggle()
        #expect(await end.value)
        world.server.release("half")
        #expect(!operation.isPaused)
        let isWhole = operation.responseData == data
        #expect(isWhole)
        #expect(world.server.requests.map { $0.headers["Range"] } == [nil, "bytes=100000-"])
    }

    @Test(arguments: Spelling.allCases)
    func `a batch leaves after the operation it depends on, and ends once`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .standard)
        let first = world.server.url("/json")
        let episodes = ["/ok?1", "/ok?2", "/ok?3"].map { world.server.url($0) }
        let old = OldAFNetworking.EpisodeSync()
        let steps = Log<String>()
        let count: Int = await answer { finish in
            switch spelling {
            case .before: old.run(first, episodes, completion: finish)
            case .after:
                EpisodeSync().run(first, episodes, step: { steps.add($0) }, completion: finish)
            }
        }
        #expect(count == 3)
        #expect((spelling == .before ? old.steps : steps.all).last == "3 of 3")
        #expect(world.server.requests.first?.path == "/json")
        #expect(world.server.requests.count == 4)
    }
}
