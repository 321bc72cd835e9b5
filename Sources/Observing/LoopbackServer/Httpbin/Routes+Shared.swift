import Foundation

/// httpbin's paths that the standard routes have too.
extension Routes {
    mutating func addShared() {
        add("/get", "The request's arguments, headers, origin and URL as JSON.") { request in
            .httpbin(request, allowing: ["GET"]) { HttpbinEcho($0).short }
        }
        add("/response-headers", "The query's fields as header fields and as JSON.") { request in
            let fields = HttpbinEcho.pairs(of: HttpbinEcho.query(of: request.target))
            return .json(
                object: HttpbinEcho.merged(fields),
                headers: fields.filter { ScriptedResponse.isSafe($0) })
        }
        addAuthorization()
        addCookies()
        addCaching()
        addCountedRedirects()
    }

    private mutating func addCountedRedirects() {
        for prefix in ["/redirect/", "/relative-redirect/", "/absolute-redirect/"] {
            let isAbsolute = prefix.hasPrefix("/absolute")
            add(prefix, rest: "N", "N redirects, then /get.") { rest, request, _ in
                guard let count = Int(rest), count > 0 else { return .status(404) }
                let path = count == 1 ? "/get" : prefix + "\(count - 1)"
                return .redirect(to: (isAbsolute ? HttpbinEcho(request).origin : "") + path)
            }
        }
        add("/redirect-to", "?url=/get&status_code=302: a redirect to that URL.") { request in
            let status = Int(request.number("status_code", or: 302, in: 300...399))
            let target = request.query["url"] ?? "/get"
            guard ScriptedResponse.isSafe(("Location", target)) else { return .status(400) }
            return .redirect(to: target, status: status)
        }
    }
}

extension Routes {
    mutating func addCookies() {
        add("/cookies", "The request's cookies as JSON.") { request in
            .json(object: ["cookies": Routes.cookies(of: request)])
        }
        add("/cookies/set", "?NAME=VALUE&…: sets these cookies and redirects to /cookies.") {
            .cookies(HttpbinEcho.pairs(of: HttpbinEcho.query(of: $0.target)))
        }
        add("/cookies/set/", rest: "NAME/VALUE", "Sets this cookie and redirects to /cookies.") {
            rest, _, _ in
            let words = rest.split(separator: "/", maxSplits: 1)
            guard words.count == 2 else { return .status(404) }
            return .cookies([(String(words[0]), String(words[1]))])
        }
        add("/cookies/delete", "?NAME&…: deletes these cookies and redirects to /cookies.") {
            .cookies(
                HttpbinEcho.pairs(of: HttpbinEcho.query(of: $0.target)),
                attributes: "Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; ")
        }
    }

    /// The values of the request's cookies by name; the first value if a name is repeated.
    private static func cookies(of request: RecordedRequest) -> [String: String] {
        let pairs = request.headers.values("Cookie").flatMap { $0.split(separator: ";") }.map {
            let halves = $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                halves[0].trimmingCharacters(in: .whitespaces),
                halves.count > 1 ? halves[1].trimmingCharacters(in: .whitespaces) : ""
            )
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension ScriptedResponse {
    /// A redirect to `/cookies` that sets cookies; status 400 if one of them cannot be in a header field.
    fileprivate static func cookies(
        _ pairs: [(String, String)], attributes: String = ""
    ) -> ScriptedResponse {
        let fields = pairs.map { ("Set-Cookie", "\($0)=\($1); \(attributes)Path=/") }
        guard fields.allSatisfy({ isSafe($0) }) else { return .status(400) }
        return .text("", status: 302, headers: [("Location", "/cookies")] + fields)
    }
}

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
        add("/cache/", rest: "N", "As /get with Cache-Control: public, max-age=N.") {
            rest, request, _ in
            guard let seconds = Int(rest), seconds >= 0 else {
                return .status(404)
            }
            return .json(
                object: HttpbinEcho(request).short,
                headers: [("Cache-Control", "public, max-age=\(seconds)")])
        }
        add(
            "/etag/", rest: "TAG",
            "As /get with the ETag \"TAG\"; 304 to If-None-Match with it, 412 to If-Match without."
        ) { rest, request, _ in
            let tag = "\"\(rest)\""
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
