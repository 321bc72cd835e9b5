import Foundation

/// httpbin's `/status/N`, with the header field that some statuses require.
extension Routes {
    mutating func addHttpbinStatus() {
        add(
            "/status/", listed: "/status/N",
            "Status N from 200 to 599, without a body; of several, as 200,500, any one.",
            isPrefix: true
        ) { request, _ in
            let parts = request.rest(after: "/status/").split(separator: ",").map { Int($0) }
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
