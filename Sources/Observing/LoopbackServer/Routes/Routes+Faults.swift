import Foundation

/// Routes that break the connection or the framing.
extension Routes {
    mutating func addFaults() {
        add("/close", "Closes without a byte.") { _ in ScriptedResponse([.close]) }
        add("/reset", "Resets without a byte.") { _ in ScriptedResponse([.reset]) }
        add("/truncated", "?length=1000&sent=100: closes before the promised end.") { request in
            Routes.truncated(request).then(.close)
        }
        add("/truncated-reset", "?length=1000&sent=100: the same with a reset.") { request in
            Routes.truncated(request).then(.reset)
        }
        add("/truncated-chunked", "One chunk and half of another, then closes.") { _ in
            Routes.chunks(ScriptedResponse.chunk(Data("whole".utf8)) + Data("a\r\nhalf".utf8)).then(
                .close)
        }
        add("/bad-chunk", "One chunk and then a size line that is not a number.") { _ in
            Routes.chunks(ScriptedResponse.chunk(Data("whole".utf8)) + Data("zz\r\nbad\r\n".utf8))
                .then(.close)
        }
        add("/garbage", "Bytes that are not HTTP, then closes.") { _ in
            ScriptedResponse([.bytes(Data("\u{1}\u{2}this is not HTTP\r\n\r\n".utf8)), .close])
        }
        add("/hang", "Never sends a response.") { _ in ScriptedResponse([.stall]) }
        add("/hang-headers", "Half a head and then nothing more.") { _ in
            ScriptedResponse([.bytes(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)), .stall])
        }
        add("/hang-body", "?length=1000&sent=100: a head, some bytes, and then nothing more.") {
            request in
            Routes.truncated(request).then(.stall)
        }
        add("/length-too-short", "Sends 11 bytes with Content-Length 5, then closes.") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "5")])),
                .bytes(Data("hello world".utf8)), .close,
            ])
        }
        add("/flaky", listed: nil, "?fail=1&id=x: cuts the first requests of that id, then \"ok\".")
        {
            request, state in
            let limit = request.number("fail", or: 1, in: 0...1_000_000)
            let count = state.journal.count("flaky \(request.query["id"] ?? "")")
            return count <= limit ? ScriptedResponse([.close]) : .text("ok")
        }
        add(
            "/cut", "?after=100&of=1000&seed=1: a file; each connection is cut after so many bytes."
        ) {
            request in
            let after = request.number("after", or: 100, in: 0...Routes.longest)
            let length = request.number("of", or: 1_000, in: 0...Routes.longest)
            let seed = Routes.seed(request)
            return .file(length: length, etag: "\"g\(seed)-\(length)\"", request: request) {
                range in
                guard Int64(range.count) > after else {
                    return [.generated(seed: seed, range: range)]
                }
                let sent = range.lowerBound..<range.lowerBound + after
                return [.generated(seed: seed, range: sent), .close]
            }
        }
    }

    /// A head with a `Content-Length` of `length`, and only `sent` bytes of body.
    private static func truncated(_ request: RecordedRequest) -> ScriptedResponse {
        let length = request.number("length", or: 1_000, in: 0...longest)
        let sent = request.number("sent", or: 100, in: 0...longest)
        return ScriptedResponse([
            .bytes(ScriptedResponse.head(200, [("Content-Length", "\(length)")])),
            .generated(seed: seed(request), range: 0..<sent),
        ])
    }

    private static func chunks(_ bytes: Data) -> ScriptedResponse {
        ScriptedResponse([
            .bytes(ScriptedResponse.head(200, [("Transfer-Encoding", "chunked")])), .bytes(bytes),
        ])
    }
}
