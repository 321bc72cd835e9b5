import Foundation
import FoundationNetworking
import HTTPSemantics

// What of a request goes out, and through which proxy.

extension URLConnection {
    func fields(
        of wire: URLRequest, authorization: String?, isLoginCarriedOut: Bool
    ) -> RequestFields {
        let checked = TransportTable.fields(of: wire.allHTTPHeaderFields ?? [:])
        guard isLoginCarriedOut || authorization != nil || !configuration.decodesContent else {
            return checked.sent(with: caching.conditions)
        }
        var fields = checked.sorted
        if isLoginCarriedOut || authorization != nil {
            fields.removeAll { $0.name.isSameField(as: "Authorization") }
        }
        if let authorization {
            fields.append(("Authorization", authorization))
            fields.sort { $0.name < $1.name }
        }
        var list = HeaderFields(fields)
        list += caching.conditions
        return RequestFields(list, isDecoded: configuration.decodesContent)
    }

    func proxy(for url: URL) throws(URLError) -> Proxy? {
        do {
            return try configuration.proxy.proxy(for: url)
        } catch {
            throw URLError(
                .cannotConnectToHost, url: url, text: error.errorDescription, underlying: error)
        }
    }

    /// The HTTP proxy that sees a request and answers it in the origin's name; nil where none does.
    func forwardingProxy(for url: URL) -> Proxy? {
        guard url.scheme?.lowercased() == "http", !usesUnixDomainSocket(for: url),
            let proxy = try? configuration.proxy.proxy(for: url), proxy.kind.isHTTP
        else { return nil }
        return proxy
    }

    /// What the configuration asks of the connection for a URL.
    func connectionOptions(for url: URL) throws(URLError) -> ConnectionOptions {
        var options = ConnectionOptions(
            connectLimit: configuration.connectTimeout,
            minimumTLSVersion: configuration.minimumTLSVersion,
            receiveRate: configuration.maximumReceiveRate, sendRate: configuration.maximumSendRate)
        options.route = route(for: url)
        guard !options.route.isPlain, let objection = options.route.objection else {
            return options
        }
        throw URLError(.cannotConnectToHost, url: url, text: objection)
    }

    /// Where the connection for a URL leads.
    func route(for url: URL) -> ConnectionRoute {
        var route = ConnectionRoute()
        if usesUnixDomainSocket(for: url) {
            route.unixDomainSocketPath = configuration.unixDomainSocketPath
        }
        if !configuration.hostAddresses.isEmpty {
            route.addresses = Dictionary(
                configuration.hostAddresses.map { ($0.lowercased(), $1) },
                uniquingKeysWith: { $0 + $1 })
        }
        return route
    }

    /// Whether the URL is of the origin that has the socket.
    func usesUnixDomainSocket(for url: URL) -> Bool {
        guard configuration.unixDomainSocketPath != nil, let first = originalRequest.url else {
            return false
        }
        return Origin.isSame(first, url)
    }

    /// The URL without fragment, user and password; nil where it has none of them.
    static func forTheWire(_ url: URL) -> URL? {
        // Searching the text is faster than asking for each part.
        let mark = url.absoluteString.utf8.first {
            $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@")
        }
        guard mark != nil,
            url.fragment != nil || url.user != nil || url.password != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        parts.percentEncodedFragment = nil
        parts.percentEncodedUser = nil
        parts.percentEncodedPassword = nil
        return parts.url ?? url
    }
}

// What libcurl writes into a request line, which an answer to Digest is made for.

extension URL {
    private var afterScheme: Substring {
        let text = absoluteString.prefix { $0 != "#" }
        return text.range(of: "://").map { text[$0.upperBound...] } ?? text
    }

    /// The path and the query.
    var requestTarget: String {
        let rest = afterScheme
        let target = rest.drop { $0 != "/" && $0 != "?" }
        return target.hasPrefix("/") ? String(target) : "/" + target
    }

    /// The host and the port of CONNECT, which goes to servers of https.
    var tunnelTarget: String {
        let authority = afterScheme.prefix { $0 != "/" && $0 != "?" }
        var host = authority.split(separator: "@").last ?? authority
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            host = host[..<colon]
        }
        return "\(host):\(port ?? 443)"
    }
}
