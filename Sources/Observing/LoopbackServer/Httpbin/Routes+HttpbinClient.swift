import Foundation

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
        add(
            "/base64/", listed: "/base64/VALUE", "What VALUE in base64url stands for.",
            isPrefix: true
        ) { request, _ in
            let text = request.rest(after: "/base64/")
                .replacing("-", with: "+").replacing("_", with: "/")
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
        add(
            "/stream/", listed: "/stream/N", "N lines of JSON, at most 100, one a chunk.",
            isPrefix: true
        ) { request, _ in
            guard let count = Int(request.rest(after: "/stream/")), count >= 0 else {
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
