import TestSupport

@testable import OperationNetworking

/// What a pause writes into an HTTP operation's request, and what is sent then (HO-12 to HO-16).
@Suite("A paused HTTP operation", .timeLimit(.minutes(5)))
struct HTTPPauseTests {
    private static let whole = Data((0..<100).map { UInt8($0) })
    private let world = TestWorld()

    private func ranges(_ operation: HTTPRequestOperation) -> [String?] {
        ["Range", "If-Range"].map { operation.request.value(forHTTPHeaderField: $0) }
    }

    /// Answers 40 bytes of 100 and stops; a range gets the rest.
    private func serve(_ fields: [(String, String)]) {
        world.server.add("/part") { request in
            let range = request.headers["Range"].map { $0.dropFirst("bytes=".count).dropLast() }
            let own = fields + [("Content-Type", "text/plain")]
            guard let first = range.flatMap({ Int($0) }), first > 0 else {
                let head = ScriptedResponse.head(200, own + [("Content-Length", "100")])
                return ScriptedResponse([.bytes(head), .bytes(Self.whole.prefix(40)), .stall])
            }
            return .data(
                Self.whole[first...], status: 206,
                headers: own + [("Content-Range", "bytes \(first)-99/100")])
        }
    }

    private func pauseAt40(_ operation: HTTPRequestOperation) async -> Signal {
        let (stored, end) = (Signal(), operation.endSignal())
        operation.setDownloadProgressBlock { _, total, _ in if total == 40 { stored.fire() } }
        operation.start()
        await stored.wait(for: 1, "40 bytes")
        operation.pause()
        return end
    }

    @Test func `its request asks for the rest, with the tag as the condition`() async {
        serve([("ETag", "\"a\"")])
        let operation = world.httpOperation(world.request("/part"))
        let end = await pauseAt40(operation)
        #expect(ranges(operation) == ["bytes=40-", "\"a\""])
        operation.resume()
        await end.wait()
        #expect(operation.responseData == Self.whole)
        #expect(operation.response?.statusCode == 206)
        #expect(ranges(operation) == ["bytes=40-", "\"a\""])
        #expect(world.server.requests.last?.headers["If-Range"] == "\"a\"")
    }

    @Test(arguments: [[], [("ETag", "W/\"a\"")]])
    func `without a strong validator it starts over and its request says so`(
        fields: [(String, String)]
    ) async {
        serve(fields)
        let operation = world.httpOperation(world.request("/part"))
        let end = await pauseAt40(operation)
        #expect(ranges(operation)[0] == "bytes=40-")
        world.server.add("/part") { _ in .data(Self.whole) }
        operation.resume()
        await end.wait()
        #expect(operation.responseData == Self.whole)
        #expect(ranges(operation) == [nil, nil])
        #expect(world.server.requests.last?.headers["Range"] == nil)
    }

    @Test func `two pauses ask for the rest of what is there at the last`() async {
        serve([("ETag", "\"a\"")])
        let operation = world.httpOperation(world.request("/part"))
        let end = await pauseAt40(operation)
        operation.pause()
        operation.resume()
        operation.pause()
        operation.resume()
        await end.wait()
        #expect(operation.responseData == Self.whole)
    }

    @Test func `before the start it asks for all bytes by a range`() async {
        let operation = world.httpOperation(world.request("/ok"))
        operation.pause()
        #expect(ranges(operation) == ["bytes=0-", nil])
        let end = operation.endSignal()
        operation.start()
        operation.resume()
        await end.wait()
        #expect(operation.responseString == "hello world" || operation.responseData != nil)
        #expect(world.server.requests.last?.headers["Range"] == "bytes=0-")
    }

    @Test func `a resource without bytes is whole when it has no range`() async {
        world.server.add("/empty") { _ in
            .status(416, headers: [("Content-Range", "bytes */0")])
        }
        let operation = world.httpOperation(world.request("/empty"))
        operation.pause()
        let end = operation.endSignal()
        operation.start()
        operation.resume()
        await end.wait()
        #expect(operation.responseObject as? Data == Data())
        #expect(operation.error == nil)
    }

    @Test(arguments: ["bytes 1-99/100", "bytes 0-50/100", "nonsense"])
    func `a range that is not the whole is refused when the whole was asked for`(
        range: String
    ) async {
        world.server.add("/odd") { _ in
            .data(Self.whole, status: 206, headers: [("Content-Range", range)])
        }
        let operation = world.httpOperation(world.request("/odd"))
        operation.pause()
        let end = operation.endSignal()
        operation.start()
        operation.resume()
        await end.wait()
        #expect((operation.error as? URLError)?.code == .badServerResponse)
    }

    @Test func `a range of the caller's own is left alone, and starts over`() async {
        serve([("ETag", "\"a\"")])
        var request = world.request("/part")
        request.setValue("bytes=0-", forHTTPHeaderField: "Range")
        let operation = world.httpOperation(request)
        let end = await pauseAt40(operation)
        #expect(ranges(operation) == ["bytes=0-", nil])
        world.server.add("/part") { _ in .data(Self.whole) }
        operation.resume()
        await end.wait()
        #expect(operation.responseData == Self.whole)
    }

    @Test func `a request set between pause and resume is the one that is sent`() async {
        serve([("ETag", "\"a\"")])
        let operation = world.httpOperation(world.request("/part"))
        let end = await pauseAt40(operation)
        operation.request = world.request("/ok")
        operation.resume()
        await end.wait()
        #expect(world.server.requests.last?.target == "/ok")
        #expect(world.server.requests.last?.headers["Range"] == nil)
    }
}
