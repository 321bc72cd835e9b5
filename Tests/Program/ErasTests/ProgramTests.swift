import TestSupport

@testable import eras

@Suite("The program", .timeLimit(.minutes(2)))
struct ProgramTests {
    @Test func `JSON lines are all of standard output`() async throws {
        let world = TestWorld()
        let ending = try await Program.run([
            "fetch", "--json", "-o", world.directory, world.address("/ok"),
            world.address("/status/404"),
        ])
        #expect(ending.code == 22)
        let lines = ending.output.split(separator: "\n")
        #expect(lines.count == 2)
        let objects = try lines.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(objects.allSatisfy { $0?.count == 14 })
        #expect(ending.errors.contains("1 file fetched, 1 failed"))
    }

    @Test func `an interrupt keeps the part, and the next run requests the missing bytes`()
        async throws
    {
        let world = TestWorld()
        world.addGated()
        let url = world.address("/gated")
        let arguments = ["fetch", "-o", world.directory, "--json", "--quiet", url]
        let first = try await Program.run(arguments) { process in
            while world.contents("gated.part")?.count != 600 { await Task.yield() }
            process.interrupt()
        }
        #expect(first.code == 130)
        #expect(world.names == ["gated.part", "gated.part.json"])

        world.server.resetLog()
        let second = try await Program.run(arguments)
        #expect(second.code == 0)
        #expect(second.errors == "")
        #expect(second.output.contains(try hash(generated(9))))
        #expect(world.ranges == ["bytes=600-"])
        #expect(world.names == ["gated"])
    }

    @Test func `a mistake ends with 2 and one sentence`() async throws {
        let ending = try await Program.run(["fetch", "--nope"])
        #expect(ending.code == 2)
        #expect(ending.output == "")
        #expect(
            ending.errors == "eras: There is no option --nope.\nTry: eras fetch --help\n")
    }

    @Test func `without a URL there is nothing to fetch`() async throws {
        let ending = try await Program.run(["fetch"])
        #expect(ending.code == 2)
        #expect(ending.errors.hasPrefix("eras: There is no URL to fetch.\n"))
    }

    @Test func `the main job checks every file and says what it saw`() async throws {
        let world = TestWorld()
        // It makes that folder.
        let place = world.directory + "/for/files"
        let ending = try await Program.run(["run"], environment: ["TMPDIR": place])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        for file in CatalogueFile.all {
            #expect(ending.output.contains(file.name))
        }
        #expect(ending.output.contains("At most 4 requests at once (limit 4)"))
        #expect(ending.output.components(separatedBy: "  ok\n").count == 13)
    }
}
