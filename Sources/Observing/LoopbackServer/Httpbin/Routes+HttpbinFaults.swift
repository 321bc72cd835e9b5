import Foundation

/// Faults that example programs need, and raw uploads.
extension Routes {
    mutating func addExamFaults() {
        add("/x/flaky", "?fail=1&id=x: 503 to the first requests of that id, then JSON.") {
            request, state in
            let limit = request.number("fail", or: 1, in: 0...1_000)
            let count = state.journal.count("flaky \(request.query["id"] ?? "")")
            return count <= limit ? .status(503) : .json(object: ["tries": count])
        }
        add("/x/drop-after", "?bytes=1000&of=100000: a file; closes after so many bytes.") {
            request in
            let length = request.number("of", or: 100_000, in: 0...(1 << 30))
            let sent = request.number("bytes", or: 1_000, in: 0...length)
            let head = [("Content-Length", "\(length)"), ("Content-Type", "application/json")]
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(200, head)),
                .generated(seed: 1, range: 0..<sent), .close,
            ])
        }
        add(
            "/x/slow-sink", "?bps=100000: reads the body at most that fast, then its size as JSON.",
            beforeBody: true
        ) { request in
            let rate = Double(request.number("bps", or: 100_000, in: 1...(1 << 40)))
            let length = request.headers["Content-Length"] ?? "-1"
            return .json(#"{"bytes":\#(length)}"#).after(.readBodySlowly(bytesPerSecond: rate))
        }
        add("/x/sink", "Reads a body of any size and sends its size as JSON.") { request in
            .json(#"{"bytes":\#(request.bodyLength)}"#)
        }
        add("/x/multipart-raw", "The request's body as it came, up to 1 MiB; its type too.") {
            request in
            let type = request.headers["Content-Type"] ?? ""
            let fields = [("X-Content-Type", type)].filter { ScriptedResponse.isSafe($0) }
            return .data(request.body, headers: fields)
        }
        add("/x/no-length", "?size=1000&seed=1: a body that ends where the connection ends.") {
            request in
            let size = request.number("size", or: 1_000, in: 0...(1 << 30))
            let head = [("Content-Type", "application/octet-stream"), ("Connection", "close")]
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(200, head)),
                .generated(seed: Routes.seed(request), range: 0..<size), .close,
            ])
        }
        add("/x/no-range", "?size=1000&seed=1: held at the gate \"half\"; ignores ranges.") {
            request in
            let size = request.number("size", or: 1_000, in: 0...(1 << 30))
            let head = [
                ("Content-Type", "application/octet-stream"), ("Content-Length", "\(size)"),
                ("ETag", "\"whole\""),
            ]
            let seed = Routes.seed(request)
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(200, head)),
                .generated(seed: seed, range: 0..<size / 2),
                .wait(gate: "half"), .generated(seed: seed, range: size / 2..<size),
            ])
        }
    }
}
