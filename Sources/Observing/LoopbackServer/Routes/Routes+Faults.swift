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
            let id = request.query["id"] ?? ""
            guard Journal.accepts(id) else { return .status(414) }
            let count = state.journal.count("flaky \(id)")
            return count <= limit ? ScriptedResponse([.close]) : .text("ok")
        }
        add(
            "/cut", "?after=100&of=1000&seed=1: a file; each connection is cut after so many bytes."
        ) {
            request in
            let after = request.number("after", or: 100, in: 0...Routes.longest)
            let length = request.number("of", or: 1_000, in: 0...Routes.longest)
            let seed = request.seed
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
        return .generated(0..<sent, seed: request.seed, [("Content-Length", "\(length)")])
    }

    private static func chunks(_ bytes: Data) -> ScriptedResponse {
        ScriptedResponse([
            .bytes(ScriptedResponse.head(200, [("Transfer-Encoding", "chunked")])), .bytes(bytes),
        ])
    }
}

/// Routes that handle ranges and entity tags incorrectly.
extension Routes {
    mutating func addRangeFaults() {
        add("/range-ignored", "?length=1000&seed=1: 200 and the whole file to every range.") {
            request in
            let length = Routes.fileLength(request)
            let head = [("Content-Length", "\(length)"), ("ETag", "\"ignored\"")]
            return .generated(0..<length, seed: request.seed, head)
        }
        add(
            "/range-wrong",
            "?length=1000&seed=1: 206 that starts 10 bytes after the wanted offset."
        ) {
            request in
            let length = Routes.fileLength(request)
            guard case .part(let range) = ByteRange(request.headers["Range"], length: length) else {
                return .generatedFile(
                    seed: request.seed, length: length, request: request)
            }
            let sent = min(range.lowerBound + 10, range.upperBound - 1)..<range.upperBound
            let head = [
                ("Content-Length", "\(sent.count)"),
                ScriptedResponse.contentRange(sent, of: length),
            ]
            return .generated(sent, seed: request.seed, status: 206, head)
        }
        add("/range-416", "?length=1000&seed=1: 416 to every range, else the whole file.") {
            request in
            let length = Routes.fileLength(request)
            guard request.headers["Range"] != nil else {
                return .generatedFile(
                    seed: request.seed, length: length, request: request)
            }
            return .text("", status: 416, headers: [("Content-Range", "bytes */\(length)")])
        }
        add(
            "/etag-changes", listed: nil, "?length=1000&seed=1: a file with a new tag each request."
        ) {
            request, state in
            let version = state.journal.count("etag-changes")
            return .generatedFile(
                seed: request.seed, length: Routes.fileLength(request),
                etag: "\"v\(version)\"", lastModified: nil, request: request)
        }
    }

    private static func fileLength(_ request: RecordedRequest) -> Int64 {
        request.number("length", or: 1_000, in: 1...longest)
    }
}

/// Routes whose heads or trailers are valid but rare.
extension Routes {
    mutating func addOddHeads() {
        add("/early-hints", "103 with a Link field and then 200.") { _ in
            let hints = ScriptedResponse.head(
                103, [("Link", "</style.css>; rel=preload; as=style")])
            return .text("hello world").after(.bytes(hints))
        }
        add("/continue-unasked", "100 without an Expect and then 200.") { _ in
            .text("hello world").after(.bytes(ScriptedResponse.head(100)))
        }
        add("/trailers", "A chunked body with the trailer field X-Trailer.") { _ in
            .chunked(
                [Data("hello ".utf8), Data("world".utf8)],
                headers: [("Content-Type", "text/plain")],
                trailers: [("X-Trailer", "done")])
        }
        add("/big-head", "?size=8000: a head with one field of that many bytes.") { request in
            let size = Int(request.number("size", or: 8_000, in: 0...(1 << 20)))
            return .text(
                "hello world", headers: [("X-Filler", String(repeating: "x", count: size))])
        }
    }
}
