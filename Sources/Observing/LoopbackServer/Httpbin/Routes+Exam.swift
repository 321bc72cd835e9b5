import Foundation

/// Routes besides httpbin's that example programs need: odd bodies, counters, a token.
extension Routes {
    mutating func addExam() {
        add("/x/peak", "?ms=300: the most requests in flight so far as JSON, after a pause.") {
            request, state in
            let pause = Double(request.number("ms", or: 300, in: 0...10_000)) / 1_000
            let peak = state.journal.currentStatistics.peakInFlight
            return .json(object: ["peak": peak]).after(.sleep(seconds: pause))
        }
        add("/x/hits/", rest: "NAME", "Counts requests; count and headers as JSON.") {
            name, request, state in
            guard Journal.accepts(name) else { return .status(414) }
            let count = state.journal.count("hits \(request.path)")
            return .json(object: ["hits": count, "headers": HttpbinEcho(request).headers])
        }
        add("/x/json-as-html", "JSON whose type says text/html.") { _ in
            .text(#"{"a":1}"#, contentType: "text/html")
        }
        add("/x/json-404", "Status 404 with a JSON body.") { _ in
            .json(#"{"error":"no such thing"}"#, status: 404)
        }
        add("/x/html-404", "Status 404 with a page.") { _ in
            .text("<p>no such thing</p>", status: 404, contentType: "text/html")
        }
        add("/x/empty-json", "No byte, and says it is JSON.") { _ in .json("") }
        add("/x/feed", "A feed of three entries as application/rss+xml.") { _ in
            .text(Routes.feed, contentType: "application/rss+xml")
        }
        add("/x/envelope", "?code=0: JSON with code, message and data.") { request in
            let code = request.number("code", or: 0, in: -999...999)
            let message = code == 0 ? "fine" : "refused"
            return .json(#"{"code":\#(code),"message":"\#(message)","data":{"name":"thing"}}"#)
        }
        add("/x/token", "POST: a new token as JSON; older ones stay valid.") {
            request, state in
            guard request.method == "POST" else { return .status(405) }
            let count = state.journal.count("tokens")
            state.journal.open("token \(count)", count: nil)
            return .json(object: ["token": "token-\(count)"])
        }
        add("/x/secret", "JSON for a token that /x/token gave, 401 otherwise.") {
            request, state in
            let words = (request.headers["Authorization"] ?? "").split(separator: "-")
            let isGood =
                words.count == 2 && words[0] == "Token token" && Journal.accepts(String(words[1]))
                && state.journal.pass("token \(words[1])", isArrival: false)
            return isGood
                ? .json(#"{"secret":true}"#) : .json(#"{"error":"expired"}"#, status: 401)
        }
    }

    private static let feed = """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:x="urn:example:x"><channel><title>Feed</title>
        <item><title>One</title><x:note>n</x:note></item>
        <item><title>Two</title></item>
        <item><title>Three</title></item>
        </channel></rss>
        """
}

/// Faults that example programs need, and raw uploads.
extension Routes {
    mutating func addExamFaults() {
        add("/x/flaky", "?fail=1&id=x: 503 to the first requests of that id, then JSON.") {
            request, state in
            let limit = request.number("fail", or: 1, in: 0...1_000)
            let id = request.query["id"] ?? ""
            guard Journal.accepts(id) else { return .status(414) }
            let count = state.journal.count("flaky \(id)")
            return count <= limit ? .status(503) : .json(object: ["tries": count])
        }
        add("/x/drop-after", "?bytes=1000&of=100000: a file; closes after so many bytes.") {
            request in
            let length = request.number("of", or: 100_000, in: 0...(1 << 30))
            let sent = request.number("bytes", or: 1_000, in: 0...length)
            let head = [("Content-Length", "\(length)"), ("Content-Type", "application/json")]
            return .generated(0..<sent, seed: 1, head).then(.close)
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
            .withoutLength(request, atMost: 1 << 30)
        }
        add("/x/no-range", "?size=1000&seed=1: held at the gate \"half\"; ignores ranges.") {
            request in
            let size = request.number("size", or: 1_000, in: 0...(1 << 30))
            let head = [
                ("Content-Type", "application/octet-stream"), ("Content-Length", "\(size)"),
                ("ETag", "\"whole\""),
            ]
            let seed = request.seed
            return .generated(0..<size / 2, seed: seed, head)
                .then(.wait(gate: "half"), .generated(seed: seed, range: size / 2..<size))
        }
    }
}
