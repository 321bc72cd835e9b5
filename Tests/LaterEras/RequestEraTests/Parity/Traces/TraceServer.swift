import ParitySupport
import TestSupport

/// The recorder's server.
enum TraceServer {
    static let gate = "slow"
    /// Nothing is answered before it is open.
    static let beginning = "begin"

    /// - Parameter isTimed: whether `/slow` waits as long as it says; otherwise at a gate.
    static func make(isTimed: Bool) -> LoopbackServer {
        let counts = Locked<[String: Int]>([:])
        let nth = { @Sendable (request: RecordedRequest) in
            counts.withLock { counts in
                counts[request.target, default: 0] += 1
                return counts[request.target] ?? 0
            }
        }
        var routes = Routes()
        func add(
            _ path: String, isPrefix: Bool = false,
            _ respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
        ) {
            routes.add(path, isPrefix: isPrefix, beforeBody: false) { request in
                respond(request).after(.wait(gate: beginning))
            }
        }
        add("/ok") { _ in plain("hello world") }
        add("/json") { _ in .json(#"{"a":1}"#) }
        add("/plain-json") { _ in plain(#"{"a":1}"#) }
        add("/empty") { _ in plain("") }
        add("/notype") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "1")]) + Data("x".utf8))
            ])
        }
        add("/named") { _ in
            .text(
                "x", headers: [("Content-Disposition", "attachment; filename=\"given.txt\"")])
        }
        add("/status/", isPrefix: true) { request in
            let status = rest(request, "/status/")
            return plain("status \(status)", status)
        }
        add("/slow") { request in
            let pause = (Double(request.query["ms"] ?? "") ?? 0) / 1_000
            return plain("slow").after(
                isTimed ? .sleep(seconds: pause) : .wait(gate: gate))
        }
        add("/flaky/", isPrefix: true) { request in
            let number = nth(request)
            return number > rest(request, "/flaky/")
                ? plain("after \(number)") : plain("try \(number)", 503)
        }
        add("/drop") { _ in ScriptedResponse([.close]) }
        add("/drop-first/", isPrefix: true) { request in
            let number = nth(request)
            return number > rest(request, "/drop-first/")
                ? plain("after \(number)") : ScriptedResponse([.close])
        }
        add("/flaky-drop/", isPrefix: true) { request in
            let number = nth(request)
            return number > rest(request, "/flaky-drop/")
                ? ScriptedResponse([.close]) : plain("try \(number)", 503)
        }
        add("/drop-mid") { _ in
            let head = ScriptedResponse.head(
                200, [("Content-Type", "text/plain"), ("Content-Length", "1000")])
            return ScriptedResponse([.bytes(head + bytes(400)), .close])
        }
        add("/bytes/", isPrefix: true, pieces)
        add("/redirect/", isPrefix: true) { request in
            .text(
                "moved", status: rest(request, "/redirect/"),
                headers: [("Location", request.query["to"] ?? "/ok")])
        }
        add("/auth/", isPrefix: true) { request in
            let words = request.path.split(separator: "/")
            let wanted = Data("\(words[1]):\(words[2])".utf8).base64EncodedString()
            return request.headers["Authorization"] == "Basic " + wanted
                ? plain("in \(words[1])".prefix(2) + "")
                : .text(
                    "no", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")],
                    contentType: "text/plain")
        }
        add("/echo") { plain(echo($0)) }
        return LoopbackServer(routes: routes)
    }

    private static func plain(
        _ text: some StringProtocol, _ status: Int = 200
    ) -> ScriptedResponse {
        .text(String(text), status: status, contentType: "text/plain")
    }

    private static func rest(_ request: RecordedRequest, _ prefix: String) -> Int {
        Int(request.path.dropFirst(prefix.count)) ?? 0
    }

    static func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) })
    }

    private static func pieces(_ request: RecordedRequest) -> ScriptedResponse {
        let count = rest(request, "/bytes/")
        let parts = max(1, Int(request.query["parts"] ?? "") ?? 1)
        let pause = (Double(request.query["ms"] ?? "") ?? 0) / 1_000
        let whole = bytes(count)
        let size = (count + parts - 1) / parts
        let pieces = stride(from: 0, to: count, by: size).map {
            whole.subdata(in: $0..<min($0 + size, count))
        }
        // A gate in the middle lets a scenario act there.
        if request.query["held"] != nil {
            let head = ScriptedResponse.head(
                200,
                [
                    ("Content-Type", "text/plain"), ("Content-Length", "\(count)"),
                    ("ETag", "\"a\""), ("Accept-Ranges", "bytes"),
                ])
            return ScriptedResponse([
                .bytes(head + pieces[0]), .wait(gate: gate),
                .bytes(pieces.dropFirst().reduce(Data(), +)),
            ])
        }
        let type = [("Content-Type", "text/plain")]
        return request.query["chunked"] == nil
            ? .drip(pieces, delay: pause, headers: type)
            : .chunked(pieces, delay: pause, headers: type)
    }

    /// As Python's `json.dumps` writes it.
    private static func echo(_ request: RecordedRequest) -> String {
        let type = request.headers["Content-Type"].map { "\"\($0)\"" } ?? "null"
        var text = "{\"Content-Type\": \(type), "
        if request.bodyLength <= 4_096 {
            let body = String(decoding: request.body, as: UTF8.self)
                .replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "\"", with: "\\\"")
                .replacingOccurrences(of: "\r", with: "\\r")
                .replacingOccurrences(of: "\n", with: "\\n")
            text += "\"body\": \"\(body)\", "
        }
        let hash = SeenValue.hex(request.bodyHash)
        return text + "\"bodyCount\": \(request.bodyLength), \"fnv1a64\": \"\(hash)\", "
            + "\"method\": \"\(request.method)\"}"
    }

    /// What the server saw, with all fields that a recording may have.
    static func seen(_ request: RecordedRequest) -> GoldenValue {
        var members: [String: GoldenValue] = [
            "method": .string(request.method), "path": .string(request.path),
        ]
        if request.bodyLength > 0 { members["bodyCount"] = .int(Int(request.bodyLength)) }
        let fields = [
            "Content-Type", "Transfer-Encoding", "Authorization", "X-Adapted", "X-Test",
        ]
        for name in fields {
            members[name] = request.headers[name].map { .string($0) }
        }
        return .object(members)
    }
}
