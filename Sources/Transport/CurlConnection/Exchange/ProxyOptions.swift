import Foundation
import HTTPSemantics

extension CurlEasyHandle {
    /// Set here, because the system's configuration may allow anonymous and weak ciphers.
    static let ciphers = "DEFAULT:!aNULL:!eNULL:@SECLEVEL=2"

    /// Sets the proxy of the exchange. libcurl does not read the environment's proxies and exceptions.
    ///
    /// - Parameters:
    ///   - authentication: replaces the proxy's own login.
    ///   - authorization: a field that replaces both.
    /// - Throws: `CurlError` naming the option that libcurl refused.
    func apply(
        _ proxy: Proxy?, _ authentication: TransferAuthentication?, _ authorization: String?
    ) throws(CurlError) {
        // Empty values keep libcurl from reading the environment.
        try set(.proxy, to: "")
        try set(.noProxy, to: "")
        // The fields of the request are for the server, so none goes into CONNECT.
        try separateProxyFields()
        guard let proxy else { return }
        if let authorization {
            try setProxyField("Proxy-Authorization: " + authorization)
            try set(.proxy, to: proxy.url(login: nil))
        } else {
            let login =
                authentication.map { ($0.user, $0.password) }
                ?? proxy.user.map { ($0, proxy.password) }
            try set(.proxy, to: proxy.url(login: login))
        }
        try set(.proxyAuth, to: (authentication?.scheme ?? .basic).mask)
        try set(.socks5Auth, to: TransferAuthentication.Scheme.basic.mask)
        if proxy.kind == .https {
            try applyTransportSecurity(to: proxy)
        }
    }

    /// libcurl judges a proxy's certificate, in the handshake, because it sends CONNECT with the login
    /// without a callback before.
    private func applyTransportSecurity(to proxy: Proxy) throws(CurlError) {
        try set(.proxySSLVerifyPeer, to: true)
        try set(.proxySSLVerifyHost, to: 2)
        try setProxyTLS()
        try set(.proxySSLCipherList, to: Self.ciphers)
        if let anchors = proxy.anchorCertificates {
            // libcurl would accept the certificates of its default folder too.
            try set(.proxyCAPath, to: nil)
            return try setProxyAnchors(pem: anchors.map(Self.pem).joined())
        }
        let file = getenv("SSL_CERT_FILE").map { String(cString: $0) }
        let folder = getenv("SSL_CERT_DIR").map { String(cString: $0) }
        if file != nil || folder != nil {
            try set(.proxyCAInfo, to: file)
            try set(.proxyCAPath, to: folder)
        }
    }

    private static func pem(_ certificate: Certificate) -> String {
        let text = certificate.der.base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }
}

extension Proxy {
    /// The proxy as libcurl reads it, with the login percent-encoded. A login in libcurl's own options
    /// would be decoded once for each connection of an exchange.
    fileprivate func url(login: (user: String, password: String?)?) -> String {
        guard let login else { return "\(kind.rawValue)://\(authority)" }
        let user = Self.encoded(login.user)
        let password = login.password.map { ":" + Self.encoded($0) } ?? ""
        return "\(kind.rawValue)://\(user)\(password)@\(authority)"
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(Unicode.Scalar(byte))
            default: "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        }.joined()
    }
}
