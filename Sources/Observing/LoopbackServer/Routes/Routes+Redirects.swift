import Foundation

extension Routes {
    mutating func addRedirects() {
        add("/redirect", "?to=/ok&status=302: redirects there.") { request in
            let status = Int(request.number("status", or: 302, in: 300...399))
            return .redirect(to: request.query["to"] ?? "/ok", status: status)
        }
        add("/redirect-chain", "?n=5: redirects n times and ends at /ok.") { request in
            let left = request.number("n", or: 5, in: 0...1_000)
            return .redirect(to: left > 1 ? "/redirect-chain?n=\(left - 1)" : "/ok")
        }
        add("/redirect-loop", "Redirects to itself.") { _ in .redirect(to: "/redirect-loop") }
    }
}
