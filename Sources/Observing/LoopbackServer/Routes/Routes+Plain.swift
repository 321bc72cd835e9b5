import Foundation

/// Routes with plain, correct responses.
extension Routes {
    mutating func addIndex() {
        add("/", "This list.") { _, state in
            let lines = state.table.catalogue.map { "\($0.path)\n    \($0.sentence)\n" }
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
            return .data(
                value.data(using: encoding) ?? Data(value.utf8),
                contentType: "text/plain; charset=\(charset)")
        }
        add("/status/", listed: "/status/N", "Status N from 200 to 599.", isPrefix: true) {
            request, _ in
            guard let status = Int(request.rest(after: "/status/")), 200...599 ~= status else {
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
