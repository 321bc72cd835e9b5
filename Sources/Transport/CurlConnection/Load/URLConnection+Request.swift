import Foundation
import FoundationNetworking
import HTTPSemantics

// What of a request goes out, and through which proxy.

extension URLConnection {
    func fields(
        _ checked: CheckedFields, authorization: String?, isLoginCarriedOut: Bool
    ) -> RequestFields {
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

    func usesUnixDomainSocket(for url: URL) -> Bool {
        guard configuration.unixDomainSocketPath != nil, let first = originalRequest.url else {
            return false
        }
        return Origin.isSame(first, url)
    }

    /// The URL without fragment, user and password; nil where it has none of them, or where a fragment alone cannot
    /// be removed.
    ///
    /// - Throws: an error where user and password cannot be removed, since libcurl would send them.
    static func forTheWire(_ url: URL) throws(URLError) -> URL? {
        // Searching the text is faster than asking for each part.
        let hasMark = !url.absoluteString.areAllBytes {
            $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "@")
        }
        guard hasMark, url.fragment != nil || url.user != nil || url.password != nil else {
            return nil
        }
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.percentEncodedFragment = nil
        parts?.percentEncodedUser = nil
        parts?.percentEncodedPassword = nil
        if let bare = parts?.url { return bare }
        // libcurl sends no fragment.
        if url.user == nil, url.password == nil { return nil }
        throw URLError(
            .badURL, url: url,
            text: "The URL cannot be sent without its user and password.")
    }
}
