import Foundation

/// Routes whose responses a cache may store or revalidate.
extension Routes {
    mutating func addCaching() {
        add("/cache", "As /get with ETag and Last-Modified; 304 to a request with a condition.") {
            request in
            let fields = [("ETag", "\"cache\""), ("Last-Modified", ScriptedResponse.fileDate)]
            let isKnown =
                request.headers["If-None-Match"] != nil
                || request.headers["If-Modified-Since"] != nil
            return isKnown
                ? .status(304, headers: fields)
                : .json(object: HttpbinEcho(request).short, headers: fields)
        }
        add(
            "/cache/", listed: "/cache/N", "As /get with Cache-Control: public, max-age=N.",
            isPrefix: true
        ) { request, _ in
            guard let seconds = Int(request.rest(after: "/cache/")), seconds >= 0 else {
                return .status(404)
            }
            return .json(
                object: HttpbinEcho(request).short,
                headers: [("Cache-Control", "public, max-age=\(seconds)")])
        }
        add(
            "/etag/", listed: "/etag/TAG",
            "As /get with the ETag \"TAG\"; 304 to If-None-Match with it, 412 to If-Match without.",
            isPrefix: true
        ) { request, _ in
            let tag = "\"\(request.rest(after: "/etag/"))\""
            guard ScriptedResponse.isSafe(("ETag", tag)) else { return .status(400) }
            let fields = [("ETag", tag)]
            if Routes.names(tag, "If-None-Match", request) == true {
                return .status(304, headers: fields)
            }
            if Routes.names(tag, "If-Match", request) == false { return .status(412) }
            return .json(object: HttpbinEcho(request).short, headers: fields)
        }
    }

    /// Whether a condition names the tag, weak or strong, or any; nil without the condition.
    private static func names(
        _ tag: String, _ condition: String, _ request: RecordedRequest
    ) -> Bool? {
        guard request.headers[condition] != nil else { return nil }
        return [tag, "W/" + tag, "*"].contains { request.headers.contains($0, in: condition) }
    }
}
