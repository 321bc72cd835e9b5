import Foundation

/// A failure between the client and a proxy, or between the proxy and the server.
///
/// CFNetwork had codes for this in a domain of its own (306, 310, 311). `URLError` has none, so the
/// nearest is used: -1004 where the server cannot be reached, -1013 where a login is missing or
/// refused. The text names the proxy.
struct ProxyFailure: Equatable {
    let code: URLError.Code
    let text: String
    /// Whether the proxy demands a login, or another one.
    var wantsLogin: Bool { code == .userAuthenticationRequired }

    private init(_ code: URLError.Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// What libcurl reports of a failed exchange.
    struct Facts {
        var result: CurlCode
        /// The status that answered CONNECT, or 0: `CurlEasyHandle.connectStatus`.
        var connectStatus = 0
        /// One of libcurl's `CURLPX_` numbers: `CurlEasyHandle.proxyError`.
        var proxyError = 0
        /// Whether the request was sent, so that a failure is the server's.
        var hasSent = false
    }

    /// - Returns: nil where the failure is not the proxy's.
    init?(of proxy: Proxy, _ facts: Facts) {
        let name = "The proxy at \(proxy.authority)"
        switch facts.result {
        case .couldntResolveProxy:
            self.init(.cannotFindHost, "The proxy's host \(proxy.host) was not found.")
        case .couldntConnect:
            self.init(.cannotConnectToHost, "\(name) cannot be reached.")
        case .proxy:
            let (code, words) = CurlCode.socksFailure(facts.proxyError)
            self.init(code, "\(name) \(words).")
        case .peerFailedVerification:
            // libcurl verifies only proxies' certificates.
            self.init(
                .serverCertificateUntrusted, "\(name) sent a certificate that is not valid.")
        case _ where facts.hasSent:
            return nil
        case .operationTimedOut where facts.connectStatus == 0:
            self.init(.timedOut, "\(name) did not answer in time.")
        case .sslConnectError
        where proxy.kind == .https && facts.connectStatus == 0:
            self.init(
                .secureConnectionFailed,
                "The TLS handshake with the proxy at \(proxy.authority) failed.")
        case .receiveError, .sendError, .gotNothing:
            self.init(tunnel: facts.connectStatus, name)
        default:
            return nil
        }
    }

    private init?(tunnel status: Int, _ name: String) {
        switch status {
        case 0: self.init(.networkConnectionLost, "\(name) did not answer, or not by HTTP.")
        // A 401 to CONNECT is the proxy's: tinyproxy sends it for a wrong login.
        case 401, 407:
            self.init(.userAuthenticationRequired, "\(name) wants another login (\(status)).")
        case 200..<300: return nil
        default: self.init(.cannotConnectToHost, "\(name) refused the tunnel with \(status).")
        }
    }
}

extension CurlEasyHandle {
    /// What libcurl reports of a failed exchange through a proxy.
    func proxyFacts(_ result: CurlCode, hasSent: Bool) -> ProxyFailure.Facts {
        ProxyFailure.Facts(
            result: result, connectStatus: connectStatus, proxyError: proxyError,
            hasSent: hasSent)
    }
}
