import Foundation
import HTTPSemantics

extension Transfer {
    /// Has libcurl carry out the request with a new handle.
    func prepare(_ easy: CurlEasyHandle) throws {
        var isFresh = false
        if case .newConnection = interruption { isFresh = true }
        interruption = nil
        noteConnecting()
        try easy.apply(request)
        if load?.omitsExpectation == true {
            try easy.set(fields: request.allFields.curlListWithoutExpect())
        }
        try easy.set(.freshConnect, to: isFresh)
        try limitConnecting(easy)
        try prepareLookUp(easy)
        try easy.setCallbacks(of: self, hasTLS: request.isSecure, hasBody: body != nil)
        self.easy = easy
        measured.times.usesNewHandle()
        apply(.add)
    }
}

extension CurlEasyHandle {
    /// Bytes received at once. A response to a stream gets a large buffer, and not one of whole pages:
    /// its pieces would then be copied slowly, because glibc's large buffers begin 16 bytes into a page
    /// (`WaitingInput`).
    private static func receiveBuffer(_ request: TransferRequest) -> Int {
        request.isResponseStreamed ? 524_288 + 320 : 65_536
    }

    /// The most bytes given to libcurl at once, which is libcurl's own limit. A system call for each
    /// 2 MiB instead of each 256 KiB saves nearly half of the time.
    private static let sendBuffer: Int64 = 2 << 20
    private static let smallestSendBuffer: Int64 = 65_536

    /// Sets libcurl's options for a request; the callbacks are the transfer's own.
    ///
    /// - Throws: `CurlError` naming the option that libcurl refused.
    func apply(_ request: TransferRequest) throws(CurlError) {
        try keepErrorText()
        try set(.noSignal, to: true)
        let address = request.url.absoluteString
        try set(.url, to: address)
        try set(.pathAsIs, to: true)
        // libcurl 8 leaves an empty query out, but the answer to Digest is made for it.
        if address.utf8.last == UInt8(ascii: "?") {
            try set(.requestTarget, to: request.requestTarget)
        }
        try set(.protocols, to: "http,https")
        try apply(request.proxy, request.proxyAuthentication, request.proxyAuthorization)
        hint(.bufferSize, Self.receiveBuffer(request))
        try apply(request.options)
        try applyMethod(request, headSize: headSize(of: request, at: address))
        try set(fields: request.allFields.curlList())
        if let authentication = request.authentication {
            try apply(authentication)
        }
        if request.isSecure {
            try applyTransportSecurity(request.options.minimumTLSVersion)
        } else {
            try useHTTP1()
        }
    }

    private func applyMethod(_ request: TransferRequest, headSize head: Int64) throws(CurlError) {
        if request.method == "HEAD" {
            try set(.noBody, to: true)
            if head > Self.smallestSendBuffer { hint(.uploadBufferSize, Int(head)) }
            return
        }
        if let body = request.body {
            try set(.upload, to: true)
            try set(.inFileSize, to: body.isChunked ? -1 : body.length ?? -1)
            let wanted = max(head, body.length ?? 262_144)
            hint(
                .uploadBufferSize,
                Int(max(Self.smallestSendBuffer, min(wanted, Self.sendBuffer))))
        } else {
            try set(.httpGet, to: true)
            if head > Self.smallestSendBuffer { hint(.uploadBufferSize, Int(head)) }
        }
        try set(.customRequest, to: request.method)
    }

    /// At least the bytes of the request's head, but no more than libcurl's largest buffer.
    ///
    /// What of a head does not go out at once is sent from libcurl's buffer for bodies, and libcurl 7.88.1 takes a
    /// request without a body for sent when that buffer was filled once.
    private func headSize(of request: TransferRequest, at address: String) -> Int64 {
        // A ticket of Kerberos may be as large as that.
        let login = request.authentication == nil && request.proxyAuthentication == nil ? 0 : 65_536
        let answer = request.proxyAuthorization?.utf8.count ?? 0
        let lines =
            request.allFields.byteCount + 2 * address.utf8.count + 8_192 + login + answer
        return min(Self.sendBuffer, Int64(lines))
    }

    /// Sets what differs from libcurl's own.
    private func apply(_ options: ConnectionOptions) throws(CurlError) {
        if let path = options.route.unixDomainSocketPath { try set(.unixSocketPath, to: path) }
        if let rate = options.receiveRate { try set(.maxReceiveSpeed, to: max(1, rate)) }
        if let rate = options.sendRate { try set(.maxSendSpeed, to: max(1, rate)) }
    }

    private func apply(_ authentication: TransferAuthentication) throws(CurlError) {
        try set(.httpAuth, to: authentication.scheme.mask)
        try set(.userName, to: authentication.user)
        try set(.password, to: authentication.password)
    }

    /// libcurl judges no server's certificate. The transfer does, in the pre-request callback, before
    /// any byte of each request; an exchange for which libcurl refuses that callback does not start.
    private func applyTransportSecurity(_ minimum: TLSVersion) throws(CurlError) {
        try setServerTLS(minimum)
        // Other exchanges wait until the first connection shows whether they can share it.
        try set(.pipeWait, to: true)
        // Each connection has a handshake of its own, in which the server shows its certificates. libcurl 8.12 and
        // later would keep sessions for all exchanges of a multi handle, without the certificates of their servers.
        try set(.sslSessionCache, to: false)
        try set(.sslCipherList, to: Self.ciphers)
        try set(.sslVerifyPeer, to: false)
        try set(.sslVerifyHost, to: 0)
    }
}

extension CurlEasyHandle {
    /// Set here, because the system's configuration may allow anonymous and weak ciphers. With RSA as key exchange a
    /// server would get a client certificate before it has proved that it has its own key.
    static let ciphers = "DEFAULT:!aNULL:!eNULL:!kRSA:@SECLEVEL=2"

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
        try set(.socks5Auth, to: AuthenticationOffer.Method.basic.mask)
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
