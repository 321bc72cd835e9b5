import Foundation

extension Routes {
    mutating func addCookies() {
        add("/cookies", "The request's cookies as JSON.") { request in
            .json(object: ["cookies": Routes.cookies(of: request)])
        }
        add("/cookies/set", "?NAME=VALUE&…: sets these cookies and redirects to /cookies.") {
            .cookies(HttpbinEcho.pairs(of: HttpbinEcho.query(of: $0.target)))
        }
        add(
            "/cookies/set/", listed: "/cookies/set/NAME/VALUE",
            "Sets this cookie and redirects to /cookies.", isPrefix: true
        ) { request, _ in
            let words = request.rest(after: "/cookies/set/").split(separator: "/", maxSplits: 1)
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
    /// A redirect to `/cookies` that sets cookies; a response with status 400 if one of them cannot be in a header field.
    fileprivate static func cookies(
        _ pairs: [(String, String)], attributes: String = ""
    ) -> ScriptedResponse {
        let fields = pairs.map { ("Set-Cookie", "\($0)=\($1); \(attributes)Path=/") }
        guard fields.allSatisfy({ isSafe($0) }) else { return .status(400) }
        return .text("", status: 302, headers: [("Location", "/cookies")] + fields)
    }
}
