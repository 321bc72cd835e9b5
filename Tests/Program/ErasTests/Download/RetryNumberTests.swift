import TestSupport

@testable import eras

@Suite("How often a fetch tries again", .timeLimit(.minutes(2)))
struct RetryNumberTests {
    @Test func `the given number of retries is made, however many files need them`()
        async throws
    {
        let world = TestWorld()
        let tries = Latest<[String: Int]>([:])
        world.server.add("/third") { request in
            let number = tries.change { $0[request.target, default: 0] += 1 }[request.target] ?? 0
            return number > 3 ? .text("now") : .text("later", status: 503)
        }
        let urls = (0..<100).map { world.address("/third?\($0)") }
        let settings = Fetcher.Settings(jobs: 16, retries: 10, retryDelay: 0.001)
        let items = DownloadItem.list(urls, directory: world.directory)
        let results = await withCheckedContinuation { continuation in
            Fetcher(items, settings: settings) { continuation.resume(returning: $0) }.start()
        }
        #expect(results.count { $0.error == nil } == 100)
        #expect(world.server.requests.count == 400)
    }

    @Test(arguments: [429, 503])
    func `Retry-After of a host delays all its files, and no other host's`(status: Int)
        async throws
    {
        let world = TestWorld()
        let other = TestWorld()
        let order = Latest<[String]>([])
        world.server.add("/busy") { _ in
            order.change { $0.append("busy") }.count == 1
                ? .text("later", status: status, headers: [("Retry-After", "1")]) : .text("now")
        }
        for (server, name) in [(world.server, "same"), (other.server, "other")] {
            server.add("/\(name)") { _ in
                order.change { $0.append(name) }
                return .text("now")
            }
        }
        let ending = try await Program.run([
            "fetch", "-q", "-j", "1", "-o", world.directory, world.address("/busy"),
            world.address("/same"), other.address("/other"),
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(Array(order.value.prefix(2)) == ["busy", "other"], "\(order.value)")
        #expect(order.value.sorted() == ["busy", "busy", "other", "same"])
    }

    @Test func `a cancel does not wait for a Retry-After`() async throws {
        let world = TestWorld()
        world.server.add("/busy") { _ in
            .text("later", status: 503, headers: [("Retry-After", "100")])
        }
        let reported = Latest(false)
        let items = DownloadItem.list(
            [world.address("/busy"), world.address("/ok")], directory: world.directory)
        let settings = Fetcher.Settings(jobs: 1, retries: 1)
        let results = await withCheckedContinuation { continuation in
            let fetcher = Fetcher(items, settings: settings) { _, _ in
                reported.change { $0 = true }
            } completed: {
                continuation.resume(returning: $0)
            }
            fetcher.start()
            Task {
                while !reported.value { await Task.yield() }
                // The other one has the place by now, and rests, or never begins.
                for _ in 0..<1_000 { await Task.yield() }
                fetcher.cancel()
            }
        }
        #expect(results.map(\.isInterrupted) == [true, true])
        #expect(world.server.requests.count == 1)
    }

    @Test func `--max-time ends a file before a longer Retry-After`() async throws {
        let world = TestWorld()
        let count = Latest(0)
        world.server.add("/busy") { _ in
            count.change { $0 += 1 } == 1
                ? .text("later", status: 503)
                : .text("later", status: 503, headers: [("Retry-After", "100")])
        }
        let ending = try await Program.run([
            "fetch", "-q", "-j", "1", "-m", "30", "-o", world.directory, world.address("/busy"),
        ])
        #expect(ending.code == 22, "\(ending.errors)")
        #expect(world.server.requests.count == 2)
    }

    @Test func `the pause before a retry is the given one`() async throws {
        let world = TestWorld()
        let ending = try await Program.run([
            "fetch", "-o", world.directory, "--retry-delay", "0.7", world.address("/flaky?fail=2"),
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.errors.contains("; in 0.7 s, 1 of 2\n"), "\(ending.errors)")
        #expect(ending.errors.contains("; in 0.7 s, 2 of 2\n"))
    }

    @Test func `a Retry-After beyond the maximum is reported`()
        async throws
    {
        let world = TestWorld()
        world.server.add("/busy") { _ in
            .text("later", status: 503, headers: [("Retry-After", "100000")])
        }
        let ending = try await Program.run([
            "fetch", "-q", "-o", world.directory, world.address("/busy"),
        ])
        #expect(ending.code == 22 && world.server.requests.count == 1)
        #expect(
            ending.errors.contains("It asks for a longer rest than 120 s."), "\(ending.errors)")
    }
}
