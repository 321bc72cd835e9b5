import TestSupport

@testable import eras

@Suite("Names that servers give", .timeLimit(.minutes(2)))
struct ServerNameTests {
    /// A route whose text is to have a name.
    private func name(_ room: FetchRoom, _ path: String, _ name: String, _ text: String) -> String {
        room.server.add(path) { _ in
            .text(text, headers: [("Content-Disposition", "attachment; filename=\"\(name)\"")])
        }
        return room.server.url(path).absoluteString
    }

    private func contents(_ room: FetchRoom) -> [String: String] {
        Dictionary(
            room.names.map { ($0, String(decoding: room.contents($0) ?? Data(), as: UTF8.self)) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test(arguments: [[], ["--force"]])
    func `two files of one name both stay, and are known again`(options: [String]) async throws {
        let room = try FetchRoom()
        let urls = [
            name(room, "/same1", "report.pdf", "one"), name(room, "/same2", "report.pdf", "two"),
        ]
        for _ in 1...2 {
            let ending = try await Program.run(
                ["fetch", "-J", "-j", "1", "-o", room.directory] + options + urls)
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(contents(room) == ["report.pdf": "one", "report-2.pdf": "two"])
        }
    }

    @Test func `no server gives a file the name of another one of the command`() async throws {
        let room = try FetchRoom()
        let urls = [
            name(room, "/first", "Second", "1"), name(room, "/third", "jar", "3"),
            name(room, "/second", "second", "2"),
        ]
        let ending = try await Program.run(
            [
                "fetch", "-J", "--force", "-j", "1", "-o", room.directory, "-c",
                "\(room.directory)/jar",
            ] + urls)
        #expect(ending.code == 0, "\(ending.errors)")
        var left = contents(room)
        #expect(left.removeValue(forKey: "jar")?.hasPrefix("# Netscape") == true)
        #expect(left == ["Second-2": "1", "jar-2": "3", "second": "2"])
    }

    @Test func `a server's name has no dot at its start, and no name leaves the address's`()
        async throws
    {
        let room = try FetchRoom()
        room.server.add("/.inline") { _ in
            .text("2", headers: [("Content-Disposition", "inline")])
        }
        let ending = try await Program.run([
            "fetch", "-J", "-o", room.directory, name(room, "/named", ".bashrc", "1"),
            room.server.url("/.inline").absoluteString,
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(contents(room) == ["bashrc": "1", ".inline": "2"])
    }

    @Test func `on standard output no file takes the place of another`() async throws {
        let room = try FetchRoom()
        room.server.hold("door")
        room.server.add("/slow") { _ in
            .text("same\n", headers: [("Content-Disposition", "attachment; filename=x")])
                .after(.wait(gate: "door"))
        }
        let quick = name(room, "/quick", "x", "same\n")
        let ending = try await Program.run([
            "fetch", "-q", "-o", "-", "-J", "-j", "2", room.server.url("/slow").absoluteString,
            quick, room.server.url("/status/404").absoluteString,
        ]) { _ in
            // Two at once, so the last is asked for when the quick one is over.
            #expect(await room.server.sees { _, requests in requests.count == 3 })
            room.server.release("door")
        }
        #expect(ending.output == "same\nsame\n")
        #expect(ending.code == 22, "\(ending.errors)")
    }
}
