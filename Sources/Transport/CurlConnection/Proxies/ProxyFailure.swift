import Foundation

/// A failure between the client and a proxy, or between the proxy and the server; pure.
///
/// CFNetwork had codes for this in a domain of its own (306, 310, 311). `URLError` has none, so the
/// nearest is used: -1004 where there is no way to the server, -1013 where a login is missing or
/// refused. The text names the proxy.
struct ProxyFailure: Equatable {
    let code: URLError.Code
    let text: String
    /// Whether the proxy asks for a login, or for another one.
    var wantsLogin: Bool { code == .userAuthenticationRequired }

    private init(_ code: URLError.Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// What libcurl knows of an exchange that failed.
    struct Facts {
        var result: CurlCode
        /// The status that answered CONNECT, or 0: `CurlEasyHandle.connectStatus`.
        var connectStatus = 0
        /// One of libcurl's `CURLPX_` numbers: `CurlEasyHandle.proxyError`.
        var proxyError = 0
        /// Whether the request was sent, so that a failure is the server's.
        var hasSent = false
    }

    /// Nil where the failure is not the proxy's.
    init?(of proxy: Proxy, _ facts: Facts) {
        let name = "The proxy at \(proxy.authority)"
        switch facts.result {
        case .couldntResolveProxy:
            self.init(.cannotFindHost, "The proxy's host \(proxy.host) was not found.")
        case .couldntConnect:
            self.init(.cannotConnectToHost, "\(name) cannot be reached.")
        case .proxy:
            self.init(socks: facts.proxyError, name)
        case .peerFailedVerification:
            // libcurl verifies proxies alone.
            self.init(
                .serverCertificateUntrusted, "\(name) showed a certificate that is not valid.")
        case _ where facts.hasSent:
            return nil
        case .operationTimedOut where facts.connectStatus == 0:
            self.init(.timedOut, "\(name) did not answer in time.")
        case .sslConnectError
        where proxy.kind == .https && facts.connectStatus == 0:
            self.init(.secureConnectionFailed, "\(name) could not be talked to by TLS.")
        case .receiveError, .sendError, .gotNothing:
            self.init(tunnel: facts.connectStatus, name)
        default:
            return nil
        }
    }

    private init?(tunnel status: Int, _ name: String) {
        switch status {
        case 0: self.init(.networkConnectionLost, "\(name) did not answer, or not by HTTP.")
        // The server cannot have sent this 401. tinyproxy sends it for a wrong login.
        case 401, 407:
            self.init(.userAuthenticationRequired, "\(name) wants another login (\(status)).")
        case 200..<300: return nil
        default: self.init(.cannotConnectToHost, "\(name) refused the tunnel with \(status).")
        }
    }

    private init(socks error: Int, _ name: String) {
        switch CurlProxyFault(error) {
        case .login:
            self.init(.userAuthenticationRequired, "\(name) wants another login.")
        case .host:
            self.init(.cannotFindHost, "The server was not found, whose address goes to the proxy.")
        case .closed:
            self.init(.networkConnectionLost, "\(name) closed the connection.")
        case .protocolFault:
            self.init(.cannotParseResponse, "\(name) does not speak SOCKS as expected.")
        case .notAllowed:
            self.init(.cannotConnectToHost, "\(name) does not allow the server.")
        case .unreachable:
            self.init(.cannotConnectToHost, "\(name) could not reach the server.")
        case .other:
            self.init(.cannotConnectToHost, "\(name) made no connection to the server.")
        }
    }
}

extension CurlEasyHandle {
    /// What libcurl knows of a failed exchange through a proxy, once it is done with it.
    func proxyFacts(_ result: CurlCode, hasSent: Bool) -> ProxyFailure.Facts {
        ProxyFailure.Facts(
            result: result, connectStatus: connectStatus, proxyError: proxyError,
            hasSent: hasSent)
    }
}
