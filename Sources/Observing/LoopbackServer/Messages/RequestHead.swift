import Foundation

/// A request line and its header fields.
struct RequestHead {
    /// How the end of the body is found.
    enum Framing: Equatable {
        case length(Int64)
        case chunked
    }

    static let limit = 65_536

    let method: String
    let target: String
    let headers: HeaderFields
    let framing: Framing
    let keepsAlive: Bool
    let wantsContinue: Bool

    /// Parses the bytes up to and including the blank line.
    ///
    /// - Throws: `Malformed` with the status of the response.
    init(_ bytes: UnsafeRawBufferPointer) throws(Malformed) {
        var lines = HeaderLines(bytes)
        guard let first = lines.next() else { throw Malformed(status: 400) }
        let parts = first.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw Malformed(status: 400)
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw Malformed(status: version.hasPrefix("HTTP/") ? 505 : 400)
        }
        method = String(decoding: parts[0], as: UTF8.self)
        target = String(decoding: parts[1], as: UTF8.self)
        headers = try lines.fields()
        framing = try RequestHead.framing(headers)
        keepsAlive = version == "HTTP/1.1" && !headers.contains("close", in: "Connection")
        wantsContinue =
            version == "HTTP/1.1" && headers["Expect"]?.lowercased() == "100-continue"
            && framing != .length(0)
    }

    private static func framing(_ headers: HeaderFields) throws(Malformed) -> Framing {
        if let coding = headers["Transfer-Encoding"] {
            guard coding.lowercased() == "chunked" else { throw Malformed(status: 501) }
            return .chunked
        }
        let lengths = headers.values("Content-Length")
        guard let first = lengths.first else { return .length(0) }
        guard let length = Int64(first), length >= 0, lengths.allSatisfy({ $0 == first }) else {
            throw Malformed(status: 400)
        }
        return .length(length)
    }

    /// The decoded path and query of a target; an absolute target loses scheme and host.
    static func split(target: String) -> (path: String, query: [String: String]) {
        var rest = Substring(target)
        if let scheme = rest.range(of: "://"), !rest.hasPrefix("/") {
            let afterHost = rest[scheme.upperBound...]
            rest = afterHost.firstIndex(of: "/").map { afterHost[$0...] } ?? "/"
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var query: [String: String] = [:]
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = decoded(halves[0])
            guard query[name] == nil else { continue }
            query[name] = halves.count > 1 ? decoded(halves[1]) : ""
        }
        return (decoded(parts.first ?? "/"), query)
    }

    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(0x25) else { return String(text) }
        return String(text).removingPercentEncoding ?? String(text)
    }
}

/// Received bytes are not a request that the server accepts; `status` is the response's.
struct Malformed: Error {
    let status: Int
}
