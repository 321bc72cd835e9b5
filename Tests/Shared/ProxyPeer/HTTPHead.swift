import Foundation

/// The head of a request or an answer, as text.
struct HTTPHead {
    let text: String
    private let lines: [Substring]

    init(_ bytes: [UInt8]) {
        text = String(decoding: bytes, as: UTF8.self)
        lines = text.split(separator: "\r\n")
    }

    private var words: [Substring] { lines.first?.split(separator: " ") ?? [] }
    var method: String { words.first.map(String.init) ?? "" }
    var status: String { words.count > 1 ? String(words[1]) : "" }
    private var target: String { status }

    func value(of name: String) -> String? {
        lines.first { Self.name(of: $0) == name.lowercased() }.map {
            $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)
        }
    }

    var isChunked: Bool { value(of: "Transfer-Encoding")?.lowercased() == "chunked" }
    var bodyLength: Int { value(of: "Content-Length").flatMap { Int($0) } ?? 0 }

    /// The port of the target, which is `host:port` or a whole URL.
    func port(scheme: String) -> UInt16 {
        let url = URL(string: target.contains("://") ? target : "\(scheme)://\(target)")
        return url?.port.flatMap { UInt16(exactly: $0) } ?? (scheme == "https" ? 443 : 80)
    }

    /// As it goes on to the server: the target without its origin, what was for the proxy left out.
    var forwarded: String {
        var parts = URLComponents(string: target)
        parts?.scheme = nil
        parts?.host = nil
        parts?.port = nil
        let path = parts?.string ?? "/"
        let first = "\(method) \(path.hasPrefix("/") ? path : "/" + path) HTTP/1.1\r\n"
        let rest = without(["proxy-authorization", "proxy-connection", "connection"])
        return first + "Connection: close\r\n" + rest.drop { $0 != "\r\n" }.dropFirst()
    }

    func without(_ names: Set<String>) -> String {
        lines.filter { !names.contains(Self.name(of: $0)) }.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func name(of line: Substring) -> String {
        line.prefix { $0 != ":" }.lowercased()
    }
}
