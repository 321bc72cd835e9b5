import TestSupport

@testable import OperationNetworking

/// What may follow the bytes that a pause left, and what the operation shows in the end.
@Suite("What a part is continued with", .timeLimit(.minutes(5)))
struct ContinuedPartTests {
    private static let whole = Data((0..<100).map { UInt8($0) })
    private static let other = Data((0..<100).map { UInt8(200 - $0) })
    private static let tag = ("ETag", "\"a\"")

    private let world = TestWorld()

    /// Answers 40 bytes of 100 and stops; a request for a range gets `rest` from its first byte on.
    private func serve(
        _ path: String = "/part", rest: @escaping @Sendable (_ first: Int) -> ScriptedResponse
    ) {
        let head = ScriptedResponse.head(
            200, [Self.tag, ("Content-Length", "100"), ("Content-Type", "text/plain")])
        world.server.add(path) { request in
            guard let range = request.headers["Range"] else {
                return ScriptedResponse([.bytes(head), .bytes(Self.whole.prefix(40)), .stall])
            }
            return rest(Int(range.dropFirst("bytes=".count).dropLast()) ?? -1)
        }
    }

    private static func rest(
        _ body: Data, _ range: String, fields: [(String, String)] = [tag]
    ) -> ScriptedResponse {
        .data(body, status: 206, headers: fields + [("Content-Range", "bytes \(range)")])
    }

    /// Starts an operation, lets it store so many bytes, and pauses it.
    private func pause(
        _ operation: URLConnectionOperation, at count: Int64, by action: () -> Void
    ) async {
        let stored = Signal()
        operation.setDownloadProgressBlock { _, total, _ in if total == count { stored.fire() } }
        action()
        await stored.wait(for: 1, "\(count) bytes")
        operation.pause()
        await world.settle()
    }

    private func continued(_ operation: URLConnectionOperation) async {
        let end = operation.endSignal()
        await pause(operation, at: 40, by: operation.start)
        operation.resume()
        await end.wait()
    }

    @Test(arguments: [41, 70, 99])
    func `a rest that ends before the whole does is no success`(last: Int) async {
        // RFC 9110, 15.3.7: a server may answer with less than was asked for.
        serve { Self.rest(Self.whole[$0..<last], "\($0)-\(last - 1)/100") }
        let operation = world.operation("/part")
        await continued(operation)
        #expect(operation.error != nil)
        #expect(operation.responseData == nil)
        #expect(operation.totalBytesRead == Int64(last))
    }

    @Test func `a file that got only some of the rest is no success, and keeps it`() async throws {
        serve { Self.rest(Self.whole[$0..<70], "\($0)-69/100") }
        let operation = world.operation("/part")
        let stream = OutputDouble(.init())
        operation.outputStream = stream
        await continued(operation)
        #expect(operation.error != nil)
        #expect(stream.stored == Self.whole.prefix(70))
    }

    @Test func `the same entity that comes again but shorter than the part is no success`() async {
        // Chunked both times, so that no length tells.
        world.server.add("/part") { request in
            let fields = [Self.tag, ("Transfer-Encoding", "chunked")]
            let isFirst = request.headers["Range"] == nil
            let body = ScriptedResponse.chunk(Self.whole.prefix(isFirst ? 40 : 30))
            let start = [ScriptedResponse.Step.bytes(ScriptedResponse.head(200, fields) + body)]
            return ScriptedResponse(start + [isFirst ? .stall : .bytes(Data("0\r\n\r\n".utf8))])
        }
        let operation = world.operation("/part")
        operation.outputStream = OutputDouble(.init())
        await continued(operation)
        #expect(operation.error != nil)
    }

    @Test func `paused with every byte there, a 416 ends it and does not become the response`()
        async
    {
        world.server.add("/part") { request in
            guard request.headers["Range"] == nil else {
                return .text(
                    "none", status: 416, headers: [("Content-Range", "bytes */6")],
                    contentType: "text/html; charset=iso-8859-1")
            }
            let fields = [
                Self.tag, ("Transfer-Encoding", "chunked"),
                ("Content-Type", "text/plain; charset=utf-8"),
            ]
            return ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(200, fields)
                        + ScriptedResponse.chunk(Data("caféé".utf8).prefix(6))),
                .stall,
            ])
        }
        let operation = world.operation("/part")
        let end = operation.endSignal()
        await pause(operation, at: 6, by: operation.start)
        operation.resume()
        await end.wait()
        #expect(operation.error == nil)
        #expect((operation.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(operation.responseStringEncoding == .utf8)
        #expect(operation.responseData == Data("caféé".utf8).prefix(6))
    }

    @Test func `another request set while paused is not continued with the first one's bytes`()
        async
    {
        serve { Self.rest(Self.whole[$0...], "\($0)-99/100") }
        world.server.add("/other") { request in
            request.headers["Range"] == nil
                ? .data(Self.other, headers: [Self.tag])
                : Self.rest(Self.other[40...], "40-99/100")
        }
        let operation = world.operation("/part")
        let end = operation.endSignal()
        await pause(operation, at: 40, by: operation.start)
        operation.request = world.request("/other")
        operation.resume()
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData == Self.other)
    }

    @Test func `a rest without a tag does not make the operation forget the tag`() async {
        let moreHead = ScriptedResponse.head(
            206, [("Content-Length", "60"), ("Content-Range", "bytes 40-99/100")])
        serve { first in
            first == 40
                ? ScriptedResponse([.bytes(moreHead + Self.whole[40..<70]), .stall])
                : Self.rest(Self.whole[first...], "\(first)-99/100", fields: [])
        }
        let operation = world.operation("/part")
        let stream = OutputDouble(.init())
        operation.outputStream = stream
        let end = operation.endSignal()
        await pause(operation, at: 40, by: operation.start)
        await pause(operation, at: 70, by: operation.resume)
        operation.resume()
        await end.wait()
        #expect(operation.error == nil)
        #expect(stream.stored == Self.whole)
        let ranges = world.server.requests.map { $0.headers["Range"] }
        #expect(ranges == [nil, "bytes=40-", "bytes=70-"])
        #expect(world.server.requests.last?.headers["If-Range"] == Self.tag.1)
    }

    @Test func `another request paused before its answer is not continued with old bytes either`()
        async
    {
        serve { Self.rest(Self.whole[$0...], "\($0)-99/100") }
        world.server.add("/other") { request in
            request.headers["Range"] == nil
                ? .data(Self.other, headers: [Self.tag]).after(.wait(gate: "other"))
                : Self.rest(Self.other[40...], "40-99/100")
        }
        let operation = world.operation("/part")
        let end = operation.endSignal()
        await pause(operation, at: 40, by: operation.start)
        operation.request = world.request("/other")
        operation.resume()
        await world.reached("other")
        operation.pause()
        world.server.release("other")
        operation.resume()
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData == Self.other)
    }

    @Test func `a pause before the third answer does not make it forget the tag either`() async {
        serve { first in
            let answer = Self.rest(Self.whole[first...], "\(first)-99/100", fields: [])
            guard first == 40 else { return answer.after(.wait(gate: "third")) }
            let head = ScriptedResponse.head(
                206, [("Content-Length", "60"), ("Content-Range", "bytes 40-99/100")])
            return ScriptedResponse([.bytes(head + Self.whole[40..<70]), .stall])
        }
        let operation = world.operation("/part")
        let end = operation.endSignal()
        await pause(operation, at: 40, by: operation.start)
        await pause(operation, at: 70, by: operation.resume)
        operation.resume()
        await world.reached("third")
        operation.pause()
        // A result that comes before the pause takes effect would count.
        await withCheckedContinuation { goOn in
            operation.networkThread.perform(inModes: [.common]) { goOn.resume() }
        }
        world.server.release("third")
        operation.resume()
        await end.wait()
        #expect(operation.responseData == Self.whole)
        let ranges = world.server.requests.map { $0.headers["Range"] }
        #expect(ranges == [nil, "bytes=40-", "bytes=70-", "bytes=70-"])
    }
}
