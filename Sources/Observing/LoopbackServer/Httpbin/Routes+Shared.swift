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
            add(prefix, listed: prefix + "N", "N redirects, then /get.", isPrefix: true) {
                request, _ in
                guard let count = Int(request.rest(after: prefix)), count > 0 else {
                    return .status(404)
                }
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
