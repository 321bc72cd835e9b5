import Foundation

/// httpbin's `/status/N`, with the header field that some statuses require.
extension Routes {
    mutating func addHttpbinStatus() {
        add(
            "/status/", listed: "/status/N", "Status N from 200 to 599, without a body.",
            isPrefix: true
        ) { request, _ in
            guard let status = Int(request.rest(after: "/status/")), 200...599 ~= status else {
                return .status(400)
            }
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
