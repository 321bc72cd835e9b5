import Foundation

/// The proxies that environment variables name, by libcurl's rules.
///
/// A variable that is empty counts as not set. `HTTP_PROXY` is never read: a CGI program has there
/// what a client sent as its field `Proxy`.
struct ProxyEnvironment {
    private let variables: [String: String]

    init(_ variables: [String: String]) {
        self.variables = variables
    }

    func proxy(forSecure isSecure: Bool) throws(ProxyError) -> Proxy? {
        let names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        guard let (name, value) = first(of: names + ["all_proxy", "ALL_PROXY"]) else { return nil }
        let exceptions = exceptions
        do throws(ProxyError) {
            return try Proxy(
                text: value.contains("://") ? value : "http://\(value)", exceptions: exceptions)
        } catch {
            throw error.found(in: name)
        }
    }

    /// Separated by commas or blanks.
    private var exceptions: [String] {
        guard let (name, value) = first(of: ["no_proxy", "NO_PROXY"]) else { return [] }
        let entries = value.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
        return UnreadExceptions.shared.rest(of: entries, in: name)
    }

    private func first(of names: [String]) -> (String, String)? {
        for name in names {
            if let value = variables[name], !value.isEmpty { return (name, value) }
        }
        return nil
    }
}
