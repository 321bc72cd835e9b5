import TestSupport

@testable import eras

@Suite("A fetch that is terminated", .timeLimit(.minutes(2)))
struct TerminatedFetchTests {
    @Test(arguments: Program.terminations)
    func `a termination writes cookies, exchanges and trace as Ctrl-C does`(number: Int32)
        async throws
    {
        let room = try FetchRoom()
        room.addGated()
        room.server.add("/set") { _ in
            .text("x", headers: [("Set-Cookie", "new=1; Max-Age=1000")])
        }
        let place = room.directory
        let ending = try await Program.run([
            "fetch", "-q", "-o", place, "-c", "\(place)/jar", "--har", "\(place)/h.har",
            "--trace", "\(place)/t.json", "--html", "\(place)/p.html",
            room.server.url("/set").absoluteString, room.server.url("/gated").absoluteString,
        ]) { process in
            while process.isRunning,
                room.contents("gated.part")?.count != 600 || room.contents("set") == nil
            { await Task.yield() }
            kill(process.processIdentifier, number)
        }
        #expect(ending.code == 128 + number, "\(ending.errors)")
        let jar = String(decoding: room.contents("jar") ?? Data(), as: UTF8.self)
        #expect(jar.contains("new\t1"))
        for name in ["h.har", "t.json"] {
            let data = try #require(room.contents(name), "\(name)")
            #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
        }
        #expect(room.contents("p.html")?.isEmpty == false)
        #expect(room.names.contains("gated.part.json"))
    }

    @Test func `the folder of files for standard output is the user's alone`() async throws {
        let room = try FetchRoom()
        room.server.hold("door")
        room.server.add("/slow") { _ in .text("slow").after(.wait(gate: "door")) }
        let mode = Latest<Int?>(nil)
        let ending = try await Program.run(
            [
                "fetch", "-q", "-o", "-", room.server.url("/slow").absoluteString,
                room.server.url("/ok").absoluteString,
            ], environment: ["TMPDIR": room.directory]
        ) { _ in
            #expect(await room.server.reaches("door"))
            let name = room.names.first { $0.hasPrefix("eras-fetch-") } ?? "none"
            mode.value =
                try? FileManager.default.attributesOfItem(atPath: "\(room.directory)/\(name)")[
                    .posixPermissions] as? Int
            room.server.release("door")
        }
        #expect(ending.code == 0 && ending.output == "slowhello world", "\(ending.errors)")
        #expect(mode.value == 0o700)
        #expect(room.names == [])
    }
}
