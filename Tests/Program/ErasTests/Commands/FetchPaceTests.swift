import TestSupport

@testable import OperationNetworking
@testable import eras

/// How fast, how slow and how often.
@Suite("The pace of fetch", .timeLimit(.minutes(2)))
struct FetchPaceTests {
    private func fetch(_ world: TestWorld, _ arguments: [String]) async throws -> Program.Ending {
        try await Program.run(
            ["fetch", "--retries", "0", "-o", world.directory + "/"] + arguments)
    }

    @Test(arguments: [1, 3])
    func `a limit for the rate is that of all files and connections together`(segments: Int)
        async throws
    {
        let world = TestWorld()
        let began = ContinuousClock.now
        let ending = try await fetch(
            world,
            ["--limit-rate", "1M", "--segments", "\(segments)", "--min-split-size", "100k"]
                + (1...4).map { world.address("/bytes/400000?seed=\($0)") })
        #expect(ending.code == 0, "\(ending.errors)")
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        // 1.6 MB; four files that had the rate each would take half a second.
        #expect(seconds > 1.4, "\(seconds)")
        for (seed, name) in [(1, "400000"), (4, "400000-4")] {
            let isWhole = world.contents(name) == generated(UInt64(seed), 400_000)
            #expect(isWhole)
        }
    }

    @Test func `a limit for the rate counts for many small files too`() async throws {
        let world = TestWorld()
        let began = ContinuousClock.now
        let ending = try await fetch(
            world,
            ["--limit-rate", "1M"]
                + (1...40).map { world.address("/bytes/40000?seed=\($0)") })
        #expect(ending.code == 0, "\(ending.errors)")
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        #expect(seconds > 1.2, "\(seconds)")
    }

    @Test func `the balance of a rate does not grow while nothing is received`() {
        let rate = SharedRate(bytesPerSecond: 1_000)
        let later = ContinuousClock.now + .seconds(3_600)
        #expect(rate.piece == 50)
        #expect(rate.take(50, at: later) == 0)
        let pauses = [1_000, 0].map { rate.take($0, at: later) }
        #expect(pauses == [1, 1])
        #expect(rate.take(0, at: later + .seconds(2)) == 0)
    }

    @Test func `a transfer below the least speed fails, and a fast one does not`() async throws {
        let world = TestWorld()
        let slow = try await fetch(
            world,
            [
                "--speed-limit", "100k", "--speed-time", "0.5",
                world.address("/rate/1000000?bps=10000"), world.address("/hang"),
            ])
        #expect(slow.code == 28, "\(slow.errors)")
        #expect(slow.errors.contains("2 failed"))
        let fast = try await fetch(
            world,
            [
                "--speed-limit", "10k", "--speed-time", "0.3",
                world.address("/rate/100000?bps=100000"),
            ])
        #expect(fast.code == 0, "\(fast.errors)")
    }

    @Test func `between two files there is the wait, but not for files that are there`()
        async throws
    {
        let world = TestWorld()
        let urls = (1...3).map { world.address("/bytes/\($0)") }
        let began = ContinuousClock.now
        let first = try await fetch(world, ["--wait", "0.4"] + urls)
        #expect(first.code == 0 && ContinuousClock.now - began > .seconds(0.8))
        let again = try await fetch(world, ["--wait", "3600"] + urls + [world.address("/ok")])
        #expect(again.code == 0, "\(again.errors)")
        let interrupted = try await Program.run(
            ["fetch", "-o", world.directory, "--wait", "3600"]
                + (4...6).map { world.address("/bytes/\($0)") }
        ) { process in
            #expect(await world.server.sees { _, all in all.contains { $0.path == "/bytes/4" } })
            process.interrupt()
        }
        #expect(interrupted.code == 130, "\(interrupted.errors)")
        // The first may have been received or not.
        #expect(interrupted.errors.contains(/[23] interrupted/), "\(interrupted.errors)")
    }

    @Test func `the wait behind a host with Retry-After does not delay other hosts' files`()
        async throws
    {
        let world = TestWorld()
        let other = TestWorld()
        let order = Latest<[String]>([])
        world.server.add("/busy") { _ in
            order.change { $0.append("busy") }.count == 1
                ? .text("later", status: 503, headers: [("Retry-After", "3")]) : .text("now")
        }
        for (server, name) in [(world.server, "same"), (other.server, "other")] {
            server.add("/\(name)") { _ in
                order.change { $0.append(name) }
                return .text("now")
            }
        }
        let ending = try await fetch(
            world,
            [
                "--wait", "0.5", "--retries", "2", world.address("/busy"), world.address("/same"),
                other.address("/other"),
            ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(Array(order.value.prefix(2)) == ["busy", "other"], "\(order.value)")
        #expect(order.value.sorted() == ["busy", "busy", "other", "same"])
    }

    @Test func `the wait is for the host that asks for the least`() async throws {
        let worlds = [TestWorld(), TestWorld()]
        let order = Latest<[String]>([])
        for (world, (name, seconds)) in zip(worlds, [("slow", "4"), ("quick", "2")]) {
            world.server.add("/\(name)") { _ in
                order.change { $0.append(name) }.filter { $0 == name }.count == 1
                    ? .text("later", status: 503, headers: [("Retry-After", seconds)])
                    : .text("now")
            }
            world.server.add("/\(name)-next") { _ in
                order.change { $0.append(name + "-next") }
                return .text("now")
            }
        }
        let paths = ["slow", "quick", "slow-next", "quick-next"]
        let addresses = zip(worlds + worlds, paths).map { $0.address("/\($1)") }
        let ending = try await fetch(
            worlds[0], ["--wait", "0.3", "--retries", "2"] + addresses)
        #expect(ending.code == 0, "\(ending.errors)")
        let places = ["quick-next", "slow-next"].map { order.value.firstIndex(of: $0) ?? -1 }
        #expect(places[0] < places[1], "\(order.value)")
        #expect(order.value.sorted() == (paths + ["slow", "quick"]).sorted())
    }

    @Test func `without a terminal there is a line on all at times, unless quiet`() async {
        for style in [ProgressDisplay.Style.plain, .quiet] {
            let asked = Latest(false)
            let display = ProgressDisplay(style, plainInterval: .milliseconds(5))
            await withCheckedContinuation { continuation in
                display.follow {
                    if !asked.value {
                        asked.value = true
                        continuation.resume()
                    }
                    return FetchProgress(count: 1)
                }
                if style == .quiet { continuation.resume() }
            }
            #expect(asked.value == (style == .plain))
            display.end([])
        }
    }

    @Test func `a dead proxy is called a proxy, and TLS names the option for authorities`()
        async throws
    {
        let world = TestWorld { _ in }
        let proxy = try await fetch(world, ["-x", "127.0.0.1:1", "http://127.0.0.2:1/x"])
        #expect(proxy.code == 7)
        #expect(
            proxy.errors.contains("The proxy at 127.0.0.1:1 cannot be reached. -x and"),
            "\(proxy.errors)")
        let stranger = try await fetch(world, [world.address("/ok")])
        #expect(stranger.code == 35)
        #expect(stranger.errors.contains("--cacert names the authorities"), "\(stranger.errors)")
    }
}
