import Foundation

extension Transfer {
    /// Has libcurl carry out the request with a new handle.
    func prepare(_ easy: CurlEasyHandle) throws {
        var isFresh = false
        if case .newConnection = interruption { isFresh = true }
        interruption = nil
        noteConnecting()
        try easy.apply(request)
        if omitsExpectation { try easy.set(fields: request.allFields.curlListWithoutExpect()) }
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

    /// At least the bytes of the request's head, if libcurl takes it.
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
