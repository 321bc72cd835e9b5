import TestSupport

@testable import eras

@Suite("A fetch that is terminated", .timeLimit(.minutes(2)))
struct TerminatedFetchTests {
    @Test(arguments: Program.terminations)
    func `a termination writes cookies, exchanges and trace as Ctrl-C does`(number: Int32)
        async throws
    {
        let world = TestWorld()
        world.addGated()
        world.server.add("/set") { _ in
            .text("x", headers: [("Set-Cookie", "new=1; Max-Age=1000")])
        }
        let place = world.directory
        let ending = try await Program.run([
            "fetch", "-q", "-o", place, "-c", "\(place)/jar", "--har", "\(place)/h.har",
            "--trace", "\(place)/t.json", "--html", "\(place)/p.html",
            world.address("/set"), world.address("/gated"),
        ]) { process in
            while process.isRunning,
                world.contents("gated.part")?.count != 600 || world.contents("set") == nil
            { await Task.yield() }
            kill(process.processIdentifier, number)
        }
        #expect(ending.code == 128 + number, "\(ending.errors)")
        let jar = String(decoding: world.contents("jar") ?? Data(), as: UTF8.self)
        #expect(jar.contains("new\t1"))
        for name in ["h.har", "t.json"] {
            let data = try #require(world.contents(name), "\(name)")
            #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
        }
        #expect(world.contents("p.html")?.isEmpty == false)
        #expect(world.names.contains("gated.part.json"))
    }

    @Test func `an interrupt is ignored where the process was started to ignore it`() async throws {
        let world = TestWorld()
        world.server.hold("door")
        world.server.add("/slow") { _ in .text("slow").after(.wait(gate: "door")) }
        let ending = try await Program.run(
            [
                "-c", "trap '' INT; exec \"$0\" \"$@\"", Program.executable.path, "fetch", "-q",
                "-o", world.directory, world.address("/slow"),
            ], executable: URL(fileURLWithPath: "/bin/sh")
        ) { process in
            #expect(await world.server.reaches("door"))
            kill(process.processIdentifier, SIGINT)
            world.server.release("door")
        }
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.contents("slow") == Data("slow".utf8))
    }

    @Test func `the folder of files for standard output is the user's alone`() async throws {
        let world = TestWorld()
        world.server.hold("door")
        world.server.add("/slow") { _ in .text("slow").after(.wait(gate: "door")) }
        let mode = Latest<Int?>(nil)
        let ending = try await Program.run(
            [
                "fetch", "-q", "-o", "-", world.address("/slow"),
                world.address("/ok"),
            ], environment: ["TMPDIR": world.directory]
        ) { _ in
            #expect(await world.server.reaches("door"))
            let name = world.names.first { $0.hasPrefix("eras-fetch-") } ?? "none"
            mode.value =
                try? FileManager.default.attributesOfItem(atPath: "\(world.directory)/\(name)")[
                    .posixPermissions] as? Int
            world.server.release("door")
        }
        #expect(ending.code == 0 && ending.output == "slowhello world", "\(ending.errors)")
        #expect(mode.value == 0o700)
        #expect(world.names == [])
    }
}
