import ParitySupport
import TestSupport

/// The answers of the server that the recordings were made with, at the same paths.
///
/// Where that server slept, this one waits at a gate, so that pieces come one by one: `/delay/N` at
/// the gate of its path, the pieces of `/drip` and `/chunked` behind the first at `pieces`.
enum GoldenServer {
    static let pieces = "pieces"

    static func start() throws -> LoopbackServer {
        let server = LoopbackServer()
        addPlain(to: server)
        addFailures(to: server)
        addPieces(to: server)
        addExchanges(to: server)
        try server.start()
        return server
    }

    private static func addPlain(to server: LoopbackServer) {
        server.add("/status/", isPrefix: true) { request in
            let status = Int(request.path.split(separator: "/").last ?? "") ?? 500
            guard status != 304 else { return .status(304) }
            let type = request.query["json"] == nil ? "text/plain" : "application/json"
            return .text("status body", status: status, contentType: type)
        }
        server.add("/delay/", isPrefix: true) { request in
            let seconds = request.path.split(separator: "/").last ?? ""
            return .text("slept \(seconds)", contentType: "text/plain").after(
                .wait(gate: request.path))
        }
        server.add("/redirect/1") { request in
            .text(
                "redirecting", status: request.query["code"].flatMap { Int($0) } ?? 302,
                headers: [("Location", request.query["to"] ?? "/ok")], contentType: "text/plain")
        }
    }

    private static func addFailures(to server: LoopbackServer) {
        server.add("/badjson") { _ in .json(#"{"a":"#) }
        server.add("/stall") { _ in ScriptedResponse([.stall]) }
        server.add("/noreply") { _ in ScriptedResponse([.close]) }
        server.add("/loop") { _ in .redirect(to: "/loop") }
    }

    private static func addPieces(to server: LoopbackServer) {
        server.add("/drip") { request in
            let count = request.query["n"].flatMap { Int($0) } ?? 1
            let size = request.query["size"].flatMap { Int($0) } ?? 1
            return drip(total: count * size, size: size, request)
        }
        server.add("/chunked") { request in
            let count = request.query["n"].flatMap { Int($0) } ?? 1
            let head = ScriptedResponse.head(
                200, [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")])
            let chunks = (0..<count).map { ScriptedResponse.chunk(Data("chunk\($0)".utf8)) }
            return gated([head + chunks[0]] + chunks.dropFirst() + [Data("0\r\n\r\n".utf8)])
        }
    }

    /// A body that is no UTF-8, in pieces; whole, or from an offset when `If-Range` fits.
    private static func drip(total: Int, size: Int, _ request: RecordedRequest) -> ScriptedResponse
    {
        let tag = "\"drip1\""
        var offset = 0
        if let range = request.headers["Range"], request.headers["If-Range"] == tag {
            offset = Int(range.filter(\.isNumber)) ?? 0
        }
        var fields = [
            ("Content-Type", "application/octet-stream"), ("ETag", tag),
            ("Content-Length", "\(total - offset)"),
        ]
        if offset > 0 {
            fields.append(("Content-Range", "bytes \(offset)-\(total - 1)/\(total)"))
        }
        let head = ScriptedResponse.head(offset > 0 ? 206 : 200, fields)
        let pieces = stride(from: offset, to: total, by: size).map {
            Data(repeating: 0xFF, count: min(size, total - $0))
        }
        return gated([head + (pieces.first ?? Data())] + pieces.dropFirst())
    }

    private static func gated(_ pieces: [Data]) -> ScriptedResponse {
        ScriptedResponse(
            Array(
                pieces.map { [ScriptedResponse.Step.bytes($0)] }
                    .joined(separator: [.wait(gate: Self.pieces)])))
    }

    private static func addExchanges(to server: LoopbackServer) {
        let wanted = "Basic " + Data("user:pass".utf8).base64EncodedString()
        server.add("/auth") { request in
            request.headers["Authorization"] == wanted
                ? .text("authorized", contentType: "text/plain")
                : .text(
                    "denied", status: 401,
                    headers: [("WWW-Authenticate", "Basic realm=\"oracle\"")],
                    contentType: "text/plain")
        }
        server.add("/upload") { .json(uploadReport($0)) }
    }

    /// What the recorder's server said of a body; it knows two bodies: none, and 50,000 zeros.
    private static func uploadReport(_ request: RecordedRequest) -> String {
        let hash =
            switch request.body {
            case Data(): "da39a3ee5e6b4b0d3255bfef95601890afd80709"
            case Data(count: 50_000): "887b5b7352cd40b462e83c86a7f166210ab5cd47"
            default: "unknown"
            }
        func field(_ name: String) -> String {
            request.headers[name].map { "\"\($0)\"" } ?? "null"
        }
        return "{\"length\": \(request.bodyLength), \"sha1\": \"\(hash)\", "
            + "\"method\": \"\(request.method)\", \"contentType\": \(field("Content-Type")), "
            + "\"contentLength\": \(field("Content-Length")), "
            + "\"te\": \(field("Transfer-Encoding"))}"
    }
}
