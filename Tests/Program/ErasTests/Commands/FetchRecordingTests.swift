import TestSupport

@testable import eras

@Suite("A fetch that is recorded", .timeLimit(.minutes(2)))
struct FetchRecordingTests {
    private func object(_ world: TestWorld, _ name: String) throws -> [String: Any] {
        let data = try #require(world.contents(name))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The entries of a HAR file.
    private func entries(_ world: TestWorld, _ name: String) throws -> [[String: Any]] {
        let log = try #require(try object(world, name)["log"] as? [String: Any])
        return try #require(log["entries"] as? [[String: Any]])
    }

    private func options(_ world: TestWorld) -> [String] {
        let place = world.directory
        return [
            "--trace", "\(place)/t.json", "--har", "\(place)/h.har", "--html", "\(place)/p.html",
        ]
    }

    @Test func `the recordings have all requests, also failed ones`() async throws {
        let world = TestWorld()
        let urls = ["/ok", "/status/404"].map { world.address($0) }
        let ending = try await Program.run(
            ["fetch", "-o", world.directory] + options(world) + urls)
        #expect(ending.code == 22)
        let statuses = try entries(world, "h.har").compactMap {
            ($0["response"] as? [String: Any])?["status"] as? Int
        }
        #expect(statuses.sorted() == [200, 404])
        let events = try #require(try object(world, "t.json")["traceEvents"] as? [Any])
        #expect(events.count > 20)
        let page = String(decoding: try #require(world.contents("p.html")), as: UTF8.self)
        #expect(page.contains("/status/404"))
    }

    @Test func `an interrupted fetch leaves them too`() async throws {
        let world = TestWorld()
        world.addGated()
        let url = world.address("/gated")
        let ending = try await Program.run(
            ["fetch", "-o", world.directory, "--quiet"] + options(world) + [url]
        ) { process in
            while world.contents("gated.part")?.count != 600 { await Task.yield() }
            process.interrupt()
        }
        #expect(ending.code == 130)
        #expect(try object(world, "t.json")["traceEvents"] is [Any])
        #expect(world.contents("p.html")?.isEmpty == false)
    }

    @Test func `no output has the path of a download or of another output`() async throws {
        let world = TestWorld()
        let url = world.address("/ok")
        for name in ["ok", "ok.part"] {
            let path = "\(world.directory)/\(name)"
            let ending = try await Program.run(
                ["fetch", "-o", world.directory, "--trace", path, url])
            #expect(ending.code == 2)
            #expect(
                ending.errors.hasPrefix(
                    "eras: --trace names \(path), which is where a download goes.\n"))
        }
        let jar = try await Program.run(
            ["fetch", "-o", world.directory, "-c", "\(world.directory)/ok", url])
        #expect(jar.code == 2 && jar.errors.contains("which is where a download goes."))
        let options = [["--har", "a", "--html", "./a"], ["--json", "--har", "-"]]
        for options in options {
            let ending = try await Program.run(
                ["fetch", "-o", world.directory, url] + options,
                in: URL(fileURLWithPath: world.directory))
            #expect(ending.code == 2)
            #expect(ending.errors.contains("name the same file."))
        }
        #expect(world.names == [])
        #expect(world.server.statistics.requests == 0)
    }

    @Test func `the exchanges may go to standard output`() async throws {
        let world = TestWorld()
        let ending = try await Program.run([
            "fetch", "-q", "-o", world.directory, "--har", "-",
            world.address("/ok"),
        ])
        #expect(ending.code == 0)
        #expect(ending.output.hasPrefix("{"))
        #expect(world.names == ["ok"])
    }

    @Test func `a recording's file that cannot be written takes no other away`() async throws {
        let world = TestWorld()
        let ending = try await Program.run([
            "fetch", "-q", "-o", world.directory, "--trace", "/dev/full", "--har",
            "\(world.directory)/h.har", "--html", "\(world.directory)/p.html", world.address("/ok"),
        ])
        #expect(ending.code == 23)
        #expect(ending.errors.hasPrefix("eras: Could not write /dev/full"), "\(ending.errors)")
        #expect(world.names == ["h.har", "ok", "p.html"])
    }

    @Test func `a file that cannot be written is reported before anything is fetched`() async throws
    {
        let world = TestWorld()
        let ending = try await Program.run([
            "fetch", "-o", world.directory, "--har", "/nowhere/h.har",
            world.address("/ok"),
        ])
        #expect(ending.code == 23)
        #expect(ending.errors.hasPrefix("eras: Could not write /nowhere/h.har"))
        #expect(world.server.statistics.requests == 0)
    }
}
