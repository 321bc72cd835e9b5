import Foundation
import FoundationNetworking
import ParitySupport

@testable import RequestEra

/// The cases of request-lifecycle.json about curl's text: requests that are not started.
enum CurlCases {
    static func play(_ recorded: RecordedCase) throws -> GoldenValue {
        try with(recorded.id) { request in
            [
                "debugDescription": .string(request.debugDescription),
                "description": .string(request.description),
            ]
        }
    }

    /// The original's form of the parts that the public text has.
    static func originalText(_ recorded: RecordedCase) throws -> String {
        try with(recorded.id) { $0.curl.originalText }
    }

    private static let page = "https://example.com/p"

    /// Makes the request of a case; its manager stays until the closure returns.
    private static func with<Value>(_ id: String, _ body: (Request) throws -> Value) throws -> Value
    {
        let name = String(id.dropFirst("curl/".count))
        let manager = ManagerCases.idleManager(configuration(name))
        return try withExtendedLifetime(manager) { try body(request(name, manager)) }
    }

    private static func configuration(_ name: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        switch name {
        case "session-headers-overridden":
            configuration.httpAdditionalHeaders = ["X-S": "s", "X-T": "t"]
        case "session-headers-case": configuration.httpAdditionalHeaders = ["x-s": "s"]
        case "credential-no-storage": configuration.urlCredentialStorage = nil
        case "cookie", "cookie-other-host": add("v", to: configuration)
        case "cookie-quote": add("v\"w", to: configuration)
        case "cookie-no-storage": configuration.httpCookieStorage = nil
        default: break
        }
        return configuration
    }

    private static func add(_ value: String, to configuration: URLSessionConfiguration) {
        let cookie = HTTPCookie(properties: [
            .domain: "example.com", .path: "/", .name: "c", .value: value,
        ])
        if let cookie { configuration.httpCookieStorage?.setCookie(cookie) }
    }

    private static func request(_ name: String, _ manager: SessionManager) throws -> Request {
        switch name {
        case let name where name.hasPrefix("method/"):
            return manager.request(
                page,
                method: try ManagerCases.method(["method": .string(String(name.dropFirst(7)))]))
        case "query": return manager.request(page, parameters: ["foo": "b r", "x": "'$`\\"])
        case "form":
            return manager.request(page, method: .post, parameters: ["foo": "bar", "q": "a\"b"])
        case "json-backslash":
            return manager.request(
                page, method: .post, parameters: ["foo": "\\\"x\\"], encoding: JSONEncoding.default)
        case "json-array":
            return manager.request(
                try JSONEncoding.default.encode(
                    URLRequest(url: page, method: .post), withJSONObject: ["a", "b"]))
        case "body-quotes": return manager.request(try post("\"a\""))
        case "body-newline": return manager.request(try post("a\nb"))
        case "body-empty": return manager.request(try post(""))
        case "body-unicode": return manager.request(try post("é中"))
        case "header-quote": return manager.request(page, headers: ["X-A": "a \"quoted\" one"])
        case "header-dollar": return manager.request(page, headers: ["X-A": "$HOME"])
        case "header-cookie":
            return manager.request(page, headers: ["X-A": "1", "Cookie": "a=b"])
        case "session-headers-overridden", "session-headers-case":
            return manager.request(page, headers: ["X-S": "mine"])
        case "credential": return manager.request(page).authenticate(user: "u", password: "p")
        case "credential-special":
            return manager.request(page).authenticate(user: "u s", password: "p\"'$")
        case "credential-no-storage":
            return manager.request(page).authenticate(user: "u", password: "p")
        case "credential-storage":
            return manager.request(page).authenticate(user: "other", password: "p")
        case "cookie", "cookie-quote", "cookie-no-storage", "adapter-throws":
            if name == "adapter-throws" { manager.adapter = Throws() }
            return manager.request(page)
        case "cookie-other-host": return manager.request("https://other.example/")
        case "url-dollar": return manager.request("https://example.com/a?x=$y&z=1")
        case "url-user": return manager.request("https://user:pw@example.com/")
        case "url-fragment": return manager.request("https://example.com/#f")
        case "no-url": return manager.request("http://[::1")
        case "upload-data": return manager.upload(Data("body".utf8), to: page)
        case "upload-stream":
            return manager.upload(InputStream(data: Data("body".utf8)), to: page)
        case "download": return manager.download(page, headers: ["X-A": "1"])
        default: throw Unplayed(name)
        }
    }

    private static func post(_ body: String) throws -> URLRequest {
        var request = try URLRequest(url: page, method: .post)
        request.httpBody = Data(body.utf8)
        return request
    }

    private struct Throws: RequestAdapter {
        func adapt(_ urlRequest: URLRequest) throws -> URLRequest { throw PlainError(tag: "a") }
    }
}

extension CurlCommand {
    /// The original's text: in double quotes, with all secrets. A shell reads `$` and backslashes in
    /// it, so it must not be run.
    fileprivate var originalText: String {
        guard let request, let url = request.url, url.host?.isEmpty == false else {
            return "$ curl command could not be created"
        }
        var words = ["$ curl -v"]
        if let method = request.httpMethod, method != "GET" { words.append("-X \(method)") }
        for credential in credentials {
            guard let user = credential.user, let password = credential.password else { continue }
            words.append("-u \(user):\(password)")
        }
        if !cookies.isEmpty {
            let value = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            words.append("-b \"\(value)\"")
        }
        var fields: [String: String] = [:]
        for (name, value) in additionalHeaders { fields["\(name)"] = "\(value)" }
        fields.merge(request.allHTTPHeaderFields ?? [:]) { $1 }
        fields["Cookie"] = nil
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            words.append("-H \"\(name): \(value.replacingOccurrences(of: "\"", with: "\\\""))\"")
        }
        if let data = request.httpBody, let body = String(data: data, encoding: .utf8) {
            let escaped = body.replacingOccurrences(of: "\\\"", with: "\\\\\"")
                .replacingOccurrences(of: "\"", with: "\\\"")
            words.append("-d \"\(escaped)\"")
        }
        return (words + ["\"\(url.absoluteString)\""]).joined(separator: " \\\n\t")
    }
}
