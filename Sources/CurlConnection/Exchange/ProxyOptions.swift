import Foundation
import HTTPSemantics

extension CurlEasyHandle {
    /// Written out, since the system's configuration may allow anonymous and weak ones.
    static let ciphers = "DEFAULT:!aNULL:!eNULL:@SECLEVEL=2"

    /// Says what the exchange goes through, and that nothing else does: not the environment's
    /// proxies, and no host is an exception that libcurl finds by itself.
    ///
    /// - Parameter authentication: stands in for the proxy's own login.
    /// - Throws: `CurlError` naming the option that libcurl refused.
    func apply(_ proxy: Proxy?, _ authentication: TransferAuthentication?) throws(CurlError) {
        // An empty name keeps the environment's out, an empty list its exceptions.
        try set(.proxy, to: "")
        try set(.noProxy, to: "")
        try set(.suppressConnectHeaders, to: true)
        // No field of the request goes into CONNECT: a proxy would see what is for the server.
        try separateProxyFields()
        guard let proxy else { return }
        let login =
            authentication.map { ($0.user, $0.password) } ?? proxy.user.map { ($0, proxy.password) }
        try set(.proxy, to: proxy.url(login: login))
        try set(.proxyAuth, to: (authentication?.scheme ?? .basic).mask)
        try set(.socks5Auth, to: TransferAuthentication.Scheme.basic.mask)
        if proxy.kind == .https {
            try applyTransportSecurity(to: proxy)
        }
    }

    /// The server's certificate is judged by ourselves, before each request; a proxy's by libcurl,
    /// in the handshake, since what it is told first, a CONNECT with a login, goes out unasked.
    private func applyTransportSecurity(to proxy: Proxy) throws(CurlError) {
        try set(.proxySSLVerifyPeer, to: true)
        try set(.proxySSLVerifyHost, to: 2)
        try setProxyTLS()
        try set(.proxySSLCipherList, to: Self.ciphers)
        if let anchors = proxy.anchorCertificates {
            // libcurl adds the folder to the certificates given, so it is taken away.
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
    /// As libcurl reads it. The login is part of it, percent-encoded: given by its own options,
    /// libcurl decodes it too, and once more for each connection of an exchange.
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
