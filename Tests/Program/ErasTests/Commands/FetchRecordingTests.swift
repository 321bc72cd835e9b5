import TestSupport

@testable import eras

@Suite("A fetch that is recorded", .timeLimit(.minutes(2)))
struct FetchRecordingTests {
    private func object(_ room: FetchRoom, _ name: String) throws -> [String: Any] {
        let data = try #require(room.contents(name))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The entries of a HAR file.
    private func entries(_ room: FetchRoom, _ name: String) throws -> [[String: Any]] {
        let log = try #require(try object(room, name)["log"] as? [String: Any])
        return try #require(log["entries"] as? [[String: Any]])
    }

    private func options(_ room: FetchRoom) -> [String] {
        let place = room.directory
        return [
            "--trace", "\(place)/t.json", "--har", "\(place)/h.har", "--html", "\(place)/p.html",
        ]
    }

    @Test func `the files tell what was fetched, also when some of it failed`() async throws {
        let room = try FetchRoom()
        let urls = ["/ok", "/status/404"].map { room.server.url($0).absoluteString }
        let ending = try await Program.run(["fetch", "-o", room.directory] + options(room) + urls)
        #expect(ending.code == 22)
        let statuses = try entries(room, "h.har").compactMap {
            ($0["response"] as? [String: Any])?["status"] as? Int
        }
        #expect(statuses.sorted() == [200, 404])
        let events = try #require(try object(room, "t.json")["traceEvents"] as? [Any])
        #expect(events.count > 20)
        let page = String(decoding: try #require(room.contents("p.html")), as: UTF8.self)
        #expect(page.contains("/status/404"))
    }

    @Test func `an interrupted fetch leaves them too`() async throws {
        let room = try FetchRoom()
        room.addGated()
        let url = room.server.url("/gated").absoluteString
        let ending = try await Program.run(
            ["fetch", "-o", room.directory, "--quiet"] + options(room) + [url]
        ) { process in
            while room.contents("gated.part")?.count != 600 { await Task.yield() }
            process.interrupt()
        }
        #expect(ending.code == 130)
        #expect(try object(room, "t.json")["traceEvents"] is [Any])
        #expect(room.contents("p.html")?.isEmpty == false)
    }

    @Test func `it does not write where a download goes, nor twice into one file`() async throws {
        let room = try FetchRoom()
        let url = room.server.url("/ok").absoluteString
        for name in ["ok", "ok.part"] {
            let path = "\(room.directory)/\(name)"
            let ending = try await Program.run(
                ["fetch", "-o", room.directory, "--trace", path, url])
            #expect(ending.code == 2)
            #expect(
                ending.errors.hasPrefix(
                    "eras: --trace names \(path), which is where a download goes.\n"))
        }
        let jar = try await Program.run(
            ["fetch", "-o", room.directory, "-c", "\(room.directory)/ok", url])
        #expect(jar.code == 2 && jar.errors.contains("which is where a download goes."))
        let options = [["--har", "a", "--html", "./a"], ["--json", "--har", "-"]]
        for options in options {
            let ending = try await Program.run(
                ["fetch", "-o", room.directory, url] + options,
                in: URL(fileURLWithPath: room.directory))
            #expect(ending.code == 2)
            #expect(ending.errors.contains("name the same file."))
        }
        #expect(room.names == [])
        #expect(room.server.statistics.requests == 0)
    }

    @Test func `the exchanges may go to standard output`() async throws {
        let room = try FetchRoom()
        let ending = try await Program.run([
            "fetch", "-q", "-o", room.directory, "--har", "-",
            room.server.url("/ok").absoluteString,
        ])
        #expect(ending.code == 0)
        #expect(ending.output.hasPrefix("{"))
        #expect(room.names == ["ok"])
    }

    @Test func `a file that cannot be written is told before anything is fetched`() async throws {
        let room = try FetchRoom()
        let ending = try await Program.run([
            "fetch", "-o", room.directory, "--har", "/nowhere/h.har",
            room.server.url("/ok").absoluteString,
        ])
        #expect(ending.code == 23)
        #expect(ending.errors.hasPrefix("eras: Could not write /nowhere/h.har"))
        #expect(room.server.statistics.requests == 0)
    }
}
