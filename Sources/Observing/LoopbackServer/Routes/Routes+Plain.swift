import Foundation
import Locking

/// Routes with plain, correct responses.
extension Routes {
    mutating func addIndex() {
        add("/", "This list.") { _, state in
            let lines = state.routes.withLock(\.catalogue).map {
                "\($0.path)\n    \($0.sentence)\n"
            }
            return .text("Routes of the loopback server\n\n" + lines.joined())
        }
    }

    mutating func addPlain() {
        add("/ok", "\"hello world\" as text, 11 bytes.") { _ in
            .text("hello world", contentType: "text/plain")
        }
        add("/json", "The JSON object {\"a\":\"b\"}.") { _ in .json(#"{"a":"b"}"#) }
        add("/text", "?value=hello&charset=utf-8: the value as text in that charset.") { request in
            let charset = request.query["charset"] ?? "utf-8"
            let value = request.query["value"] ?? "hello"
            let encoding = Routes.encodings[charset.lowercased()] ?? .utf8
            let type = "text/plain; charset=\(charset)"
            guard ScriptedResponse.isSafe(("Content-Type", type)) else { return .status(400) }
            return .data(value.data(using: encoding) ?? Data(value.utf8), contentType: type)
        }
        add("/status/", rest: "N", "Status N from 200 to 599.") { rest, _, _ in
            guard let status = Int(rest), 200...599 ~= status else {
                return .status(400)
            }
            return .status(status)
        }
        add("/204", "Status 204 without a body.") { _ in .status(204) }
        add("/304", "Status 304 with an entity tag.") { _ in
            .status(304, headers: [("ETag", "\"same\"")])
        }
        add("/etag", "\"hello world\" with ETag \"same\"; 304 when If-None-Match has it.") {
            request in
            let etag = ("ETag", "\"same\"")
            return request.headers["If-None-Match"] == "\"same\""
                ? .status(304, headers: [etag]) : .text("hello world", headers: [etag])
        }
        add("/headers", "The request's header fields as a JSON list.") { request in
            .json(encoding: request.headers.all)
        }
        add(
            "/peak", listed: nil, "The most requests in flight at once, this one included, as text."
        ) {
            .text("\($1.journal.currentStatistics.peakInFlight)")
        }
        add("/gzip", "A fixed text, gzip encoded.") { _ in
            .data(
                Routes.gzipped, headers: [("Content-Encoding", "gzip")], contentType: "text/plain")
        }
        add("/deflate", "The same text, deflate encoded with a zlib header.") { _ in
            .data(
                Routes.deflated, headers: [("Content-Encoding", "deflate")],
                contentType: "text/plain")
        }
        add(
            "/basic", "?user=user&pass=pass: 401 unless Basic credentials fit, then \"authorized\"."
        ) {
            request in
            let user = request.query["user"] ?? "user"
            let pass = request.query["pass"] ?? "pass"
            let wanted = "Basic " + Data("\(user):\(pass)".utf8).base64EncodedString()
            guard request.headers["Authorization"] == wanted else {
                return .status(
                    401, headers: [("WWW-Authenticate", "Basic realm=\"loopback\"")])
            }
            return .text("authorized")
        }
    }

    /// The text that `/gzip` and `/deflate` send.
    public static let compressedText =
        String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 8) + "\n"

    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf-16": .utf16, "iso-8859-1": .isoLatin1, "us-ascii": .ascii,
        "windows-1252": .windowsCP1252, "shift_jis": .shiftJIS,
    ]

    private static let gzipped =
        Data(
            base64Encoded: "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZV"
                + "KqTkp+sphIwqJlcxFwCBY4duaQEAAA==") ?? Data()

    private static let deflated =
        Data(
            base64Encoded: "eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSM"
                + "KiZXMRcA5nSBQw==") ?? Data()
}

extension Routes {
    mutating func addRedirects() {
        add("/redirect", "?to=/ok&status=302: redirects there.") { request in
            let status = Int(request.number("status", or: 302, in: 300...399))
            let target = request.query["to"] ?? "/ok"
            guard ScriptedResponse.isSafe(("Location", target)) else { return .status(400) }
            return .redirect(to: target, status: status)
        }
        add("/redirect-chain", "?n=5: redirects n times and ends at /ok.") { request in
            let left = request.number("n", or: 5, in: 0...1_000)
            return .redirect(to: left > 1 ? "/redirect-chain?n=\(left - 1)" : "/ok")
        }
        add("/redirect-loop", "Redirects to itself.") { _ in .redirect(to: "/redirect-loop") }
    }
}

/// Routes whose responses take time.
extension Routes {
    mutating func addTimed() {
        add("/delay/", rest: "SECONDS", "Sleeps, then sends \"slept SECONDS\".") {
            rest, _, _ in
            let text = rest
            guard let seconds = Double(text), 0...3_600 ~= seconds else { return .status(400) }
            return .text("slept \(text)").after(.sleep(seconds: seconds))
        }
        add("/gate/", rest: "NAME", "Waits at the gate NAME, then sends \"passed NAME\".") {
            rest, _, _ in
            let name = rest
            guard Journal.accepts(name) else { return .status(414) }
            return .text("passed \(name)").after(.wait(gate: name))
        }
        add(
            "/drip",
            "?n=6&size=1000&delay=0.12&etag=drip1&seed=1: n pieces with pauses; honours ranges."
        ) { request in
            let size = request.number("size", or: 1_000, in: 1...(1 << 30))
            let count = request.number("n", or: 6, in: 0...100_000)
            let seed = UInt64(request.number("seed", or: 1, in: 0...Int64.max))
            let delay = request.seconds("delay", or: 0.12)
            let etag = "\"\(request.query["etag"] ?? "drip1")\""
            guard ScriptedResponse.isSafe(("ETag", etag)) else { return .status(400) }
            return .file(length: size * count, etag: etag, request: request) {
                ScriptedResponse.pieces(seed: seed, range: $0, size: size, delay: delay)
            }
        }
        add(
            "/chunked", "?n=4&size=6&delay=0: n chunks of size bytes: of a, then of b, and so on."
        ) {
            request in
            let size = Int(request.number("size", or: 6, in: 1...(1 << 20)))
            let count = Int(request.number("n", or: 4, in: 0...10_000))
            let pieces = (0..<count).map {
                Data(repeating: UInt8(ascii: "a") + UInt8($0 % 26), count: size)
            }
            return .chunked(
                pieces, delay: request.seconds("delay", or: 0),
                headers: [("Content-Type", "text/plain")])
        }
        add("/trickle", "?bytes=20&gap=0.05: a text that comes one byte at a time.") { request in
            let count = Int(request.number("bytes", or: 20, in: 0...100_000))
            let pieces = (0..<count).map { Data([UInt8(ascii: "0") + UInt8($0 % 10)]) }
            return .drip(
                pieces, delay: request.seconds("gap", or: 0.05),
                headers: [("Content-Type", "text/plain")])
        }
    }
}
