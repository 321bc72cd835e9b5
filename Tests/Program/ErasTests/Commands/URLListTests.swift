import TestSupport

@testable import eras

@Suite("Lists that servers have", .timeLimit(.minutes(2)))
struct URLListTests {
    @Test func `a list is requested with the options of the command`() async throws {
        let world = TestWorld()
        let server = world.server
        server.add("/list") { request in
            guard request.headers["Authorization"] != nil else {
                return .text(
                    "who?", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
            }
            return .text(server.url("/ok").absoluteString + "\n")
        }
        let ending = try await Program.run([
            "fetch", "-q", "-o", world.directory, "-u", "me:secret", "-H", "X-One: 1", "-b", "a=b",
            "-i", server.url("/list").absoluteString,
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.names == ["ok"])
        #expect(server.requests.map(\.path) == ["/list", "/list", "/ok"])
        #expect(server.requests.allSatisfy { $0.headers["X-One"] == "1" })
        #expect(server.requests.allSatisfy { $0.headers["Cookie"] == "a=b" })
    }

    @Test func `a list that is not there has the code of its failure`() async throws {
        let world = TestWorld()
        let silent = world.address("/hang")
        for (arguments, code) in [
            (["-i", world.address("/basic")], 22),
            (["--timeout", "0.2", "-i", silent], 28),
        ] as [([String], Int32)] {
            let ending = try await Program.run(["fetch", "-o", world.directory] + arguments)
            #expect(ending.code == code, "\(ending.errors)")
            if code == 22 { #expect(ending.errors.contains("Give a user with -u or --netrc.")) }
        }
    }
}
