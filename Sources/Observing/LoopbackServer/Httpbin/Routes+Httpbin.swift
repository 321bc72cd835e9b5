import Foundation

/// httpbin's routes, so that one client program runs against both servers.
extension Routes {
    /// httpbin's paths alone.
    mutating func addHttpbin() {
        addShared()
        addHttpbinMethods()
        addHttpbinFormats()
        addHttpbinBytes()
        addHttpbinClient()
        addHttpbinCodings()
        addHttpbinStatus()
        addHttpbinImages()
    }

    private mutating func addHttpbinMethods() {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            add(
                "/\(method.lowercased())",
                "As /get, with the body's data, files, form and JSON."
            ) {
                .httpbin($0, allowing: [method]) { HttpbinEcho($0).long }
            }
        }
        add(
            "/anything", listed: "/anything", "The same and the method, for every method.",
            isPrefix: true
        ) { request, _ in
            .json(object: HttpbinEcho(request).withMethod)
        }
        add("/headers", "The request's header fields as a JSON object.") { request in
            .httpbin(request, allowing: ["GET"]) { ["headers": HttpbinEcho($0).headers] }
        }
        add("/delay/", rest: "N", "Waits N seconds, at most 10, then as /post, for every method.") {
            rest, request, _ in
            guard let seconds = Double(rest), seconds >= 0 else {
                return .status(400)
            }
            return .json(object: HttpbinEcho(request).long)
                .after(.sleep(seconds: min(seconds, 10)))
        }
    }
}

extension ScriptedResponse {
    /// A JSON object; status 500 when it cannot be written.
    static func json(
        object: [String: Any], status: Int = 200, headers: [(String, String)] = []
    ) -> ScriptedResponse {
        guard let body = SortedJSON.data(of: object) else { return .status(500) }
        return .data(body, status: status, headers: headers, contentType: "application/json")
    }

    /// The object that `make` returns for a request with one of these methods; 405 for others.
    static func httpbin(
        _ request: RecordedRequest, allowing methods: Set<String>,
        _ make: (RecordedRequest) -> [String: Any]
    ) -> ScriptedResponse {
        let isHead = request.method == "HEAD" && methods.contains("GET")
        guard isHead || methods.contains(request.method) else {
            return .status(405, headers: [("Allow", methods.sorted().joined(separator: ", "))])
        }
        return .json(object: make(request))
    }
}

/// httpbin's `/status/N`, with the header field that some statuses require.
extension Routes {
    mutating func addHttpbinStatus() {
        add(
            "/status/", rest: "N",
            "Status N from 200 to 599, without a body; of several, as 200,500, any one."
        ) { rest, _, _ in
            let parts = rest.split(separator: ",").map { Int($0) }
            guard parts.allSatisfy({ $0.map { 200...599 ~= $0 } == true }),
                let status = parts.randomElement().flatMap(\.self)
            else { return .status(400) }
            return .data(
                Data(), status: status, headers: Routes.field(of: status),
                contentType: "text/html; charset=utf-8")
        }
    }

    private static func field(of status: Int) -> [(String, String)] {
        switch status {
        case 301, 302, 303, 305, 307: [("Location", "/redirect/1")]
        case 401: [("WWW-Authenticate", "Basic realm=\"Fake Realm\"")]
        case 407: [("Proxy-Authenticate", "Basic realm=\"Fake Realm\"")]
        default: []
        }
    }
}

/// httpbin's paths that describe the client, and a few fixed texts.
extension Routes {
    mutating func addHttpbinClient() {
        add("/ip", "The client's address as JSON.") { _ in
            .json(object: ["origin": "127.0.0.1"])
        }
        add("/user-agent", "The request's User-Agent as JSON.") { request in
            .json(object: ["user-agent": request.headers["User-Agent"] as Any? ?? NSNull()])
        }
        add("/uuid", "A new UUID as JSON.") { _ in
            .json(object: ["uuid": UUID().uuidString.lowercased()])
        }
        add("/base64/", rest: "VALUE", "What VALUE in base64url stands for.") { rest, _, _ in
            let text = rest.replacing("-", with: "+").replacing("_", with: "/")
            guard let data = Data(base64Encoded: text) else { return .status(400) }
            return .data(data, contentType: "text/html; charset=utf-8")
        }
        add("/encoding/utf8", "A text in several scripts, in UTF-8.") { _ in
            .text("Grüße, 世界, Привет, 🌍\n", contentType: "text/html; charset=utf-8")
        }
        add("/robots.txt", "Asks robots to stay away from /deny.") { _ in
            .text("User-agent: *\nDisallow: /deny\n", contentType: "text/plain")
        }
        add("/deny", "What robots should not read.") { _ in
            .text("Robots should not read this.\n", contentType: "text/plain")
        }
        add("/stream/", rest: "N", "N lines of JSON, at most 100, one a chunk.") {
            rest, request, _ in
            guard let count = Int(rest), count >= 0 else {
                return .status(404)
            }
            let short = HttpbinEcho(request).short
            let lines = (0..<min(count, 100)).compactMap { number in
                SortedJSON.data(of: short.merging(["id": number]) { $1 })
            }
            return .chunked(
                lines.map { $0 + Data("\n".utf8) },
                headers: [("Content-Type", "application/json")])
        }
    }
}
