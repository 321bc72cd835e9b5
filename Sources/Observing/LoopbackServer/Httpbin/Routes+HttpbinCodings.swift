import Foundation

/// httpbin's paths whose bodies are in a content coding.
extension Routes {
    mutating func addHttpbinCodings() {
        add("/gzip", "The request as JSON, gzip encoded.") { request in
            .coded("gzip", "gzipped", request, StoredDeflate.gzip)
        }
        add("/deflate", "The request as JSON, deflate encoded with a zlib header.") { request in
            .coded("deflate", "deflated", request, StoredDeflate.zlib)
        }
        add("/brotli", "The request as JSON, brotli encoded.") { request in
            .coded("br", "brotli", request, StoredBrotli.stream)
        }
    }
}

extension ScriptedResponse {
    fileprivate static func coded(
        _ coding: String, _ flag: String, _ request: RecordedRequest, _ encode: (Data) -> Data
    ) -> ScriptedResponse {
        let echo = HttpbinEcho(request)
        let object: [String: Any] = [
            flag: true, "headers": echo.headers, "method": request.method, "origin": "127.0.0.1",
        ]
        guard let text = SortedJSON.data(of: object) else { return .status(500) }
        return .data(
            encode(text), headers: [("Content-Encoding", coding)],
            contentType: "application/json")
    }
}
