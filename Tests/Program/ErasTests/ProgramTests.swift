import TestSupport

@testable import eras

@Suite("The program", .timeLimit(.minutes(2)))
struct ProgramTests {
    @Test func `JSON lines are all of standard output`() async throws {
        let room = try FetchRoom()
        let ending = try await Program.run([
            "fetch", "--json", "-o", room.directory, room.server.url("/ok").absoluteString,
            room.server.url("/status/404").absoluteString,
        ])
        #expect(ending.code == 22)
        let lines = ending.output.split(separator: "\n")
        #expect(lines.count == 2)
        let objects = try lines.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(objects.allSatisfy { $0?.count == 9 })
        #expect(ending.errors.contains("1 file fetched, 1 failed"))
    }

    @Test func `an interrupt keeps the part and the next run asks for the rest`() async throws {
        let room = try FetchRoom()
        room.addGated()
        let url = room.server.url("/gated").absoluteString
        let arguments = ["fetch", "-o", room.directory, "--json", "--quiet", url]
        let first = try await Program.run(arguments) { process in
            while room.contents("gated.part")?.count != 600 { await Task.yield() }
            process.interrupt()
        }
        #expect(first.code == 130)
        #expect(room.names == ["gated.part", "gated.part.json"])

        room.server.resetLog()
        let second = try await Program.run(arguments)
        #expect(second.code == 0)
        #expect(second.errors == "")
        #expect(second.output.contains(try hash(generated(9))))
        #expect(room.ranges == ["bytes=600-"])
        #expect(room.names == ["gated"])
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
        let ending = try await Program.run(["run"])
        #expect(ending.code == 0)
        for file in CatalogueFile.all {
            #expect(ending.output.contains(file.name))
        }
        #expect(ending.output.contains("At most 4 requests at once (limit 4)"))
        #expect(ending.output.components(separatedBy: "  ok\n").count == 13)
    }
}
