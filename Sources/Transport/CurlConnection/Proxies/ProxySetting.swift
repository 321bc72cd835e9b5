public import Foundation

/// The proxies of loads.
public enum ProxySetting: Hashable, Sendable {
    /// No proxy, whatever the environment says.
    case direct
    /// One proxy, except for its `exceptions`.
    case fixed(Proxy)
    /// One proxy for http URLs and another for https URLs; nil is none.
    case byScheme(http: Proxy?, https: Proxy?)
    /// The proxies of the process's environment, read for each load by libcurl's rules: `http_proxy` in
    /// lower case only; `https_proxy`, else `all_proxy`, in lower or upper case; none for the hosts in
    /// `no_proxy` or `NO_PROXY`. An entry there that `Proxy` does not take as an exception matches
    /// nothing, and is written to the standard error once. A proxy that cannot be read fails the load.
    case environment

    /// The proxy for a URL; nil is none.
    ///
    /// - Parameters:
    ///   - url: http or https.
    ///   - environment: read for the case `environment` only.
    /// - Throws: `ProxyError`, naming the variable that cannot be read; or `hostTooLong`.
    public func proxy(
        for url: URL,
        environment: @autoclosure () -> [String: String] = ProcessInfo.processInfo.environment
    ) throws(ProxyError) -> Proxy? {
        if case .direct = self { return nil }
        let isSecure = url.scheme?.lowercased() == "https"
        let proxy: Proxy?
        switch self {
        case .direct: proxy = nil
        case .fixed(let one): proxy = one
        case .byScheme(let http, let https): proxy = isSecure ? https : http
        case .environment:
            proxy = try ProxyEnvironment(environment()).proxy(forSecure: isSecure)
        }
        guard let proxy, !proxy.isException(url) else { return nil }
        // A longer name overflows the protocol's length byte, and libcurl's buffer before 8.4.
        guard proxy.kind.isHTTP || (url.host(percentEncoded: true) ?? "").utf8.count <= 255 else {
            throw ProxyError(.hostTooLong)
        }
        return proxy.withoutExceptions
    }
}
