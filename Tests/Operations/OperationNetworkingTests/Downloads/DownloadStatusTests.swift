import TestSupport

@testable import OperationNetworking

@Suite("Which statuses bring a file", .timeLimit(.minutes(2)))
struct DownloadStatusTests {
    private let world = TestWorld()

    init() {
        // The last component of the path is the status.
        world.server.add("/as", isPrefix: true) { request in
            let status = Int(request.path.split(separator: "/").last ?? "") ?? 500
            return .data(generated(3), status: status, headers: [("ETag", "\"g3-1000\"")])
        }
    }

    @Test(arguments: [200, 201, 203])
    func `the body of a 200, a 201 and a 203 is the file`(status: Int) async throws {
        _ = try await world.download("/as/\(status)", as: "a")
        #expect(world.contents("a") == generated(3))
    }

    @Test(arguments: [202, 205])
    func `the body of a 202 and a 205 is none`(status: Int) async {
        let error = await world.failure("/as/\(status)", as: "a")
        #expect(error as? DownloadError == .status(status))
        #expect(world.contents("a") == nil)
    }

    @Test func `a 204 is an empty file, which replaces none and leaves no part`() async throws {
        #expect(try await world.download("/as/204", as: "a").length == 0)
        try generated(4).write(to: world.file("b"))
        var options = DownloadOptions.once
        options.existingFile = .replace
        let error = await world.failure("/as/204", as: "b", options)
        #expect(error as? DownloadError == .status(204))
        #expect(world.contents("b") == generated(4) && world.names == ["a", "b"])
    }

    @Test func `a 203 in place of the missing bytes starts over`() async throws {
        try world.leave(generated(3).prefix(400), of: "/as/203", as: "a")
        let file = try await world.download("/as/203", as: "a")
        #expect(file.resumedFrom == 0 && file.receivedLength == 1_000)
        #expect(world.contents("a") == generated(3) && world.ranges == ["bytes=400-"])
    }
}
