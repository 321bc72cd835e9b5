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
        add(
            "/delay/", listed: "/delay/N", "Waits N seconds, at most 10, then as /get.",
            isPrefix: true
        ) { request, _ in
            guard let seconds = Double(request.rest(after: "/delay/")), seconds >= 0 else {
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

    /// Whether a pair can be a header field without escapes.
    static func isSafe(_ field: (String, String)) -> Bool {
        !field.0.isEmpty
            && (field.0 + field.1).unicodeScalars.allSatisfy { $0.value >= 32 && $0.value < 127 }
            && !field.0.contains(where: { $0 == ":" || $0 == " " })
    }
}
