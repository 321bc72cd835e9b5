import Foundation

extension CurlEasyHandle {
    /// Bytes received at once. For an answer of any size as many as help, and some more: pieces of
    /// whole pages would all lie badly in a buffer that begins 16 bytes into a page, as all do that
    /// glibc gives pages of their own (128 KiB and more; `RequestBody.liesBadly`).
    private static func receiveBuffer(_ request: TransferRequest) -> Int {
        request.isAnswerStreamed ? 524_288 + 320 : 65_536
    }

    /// Bytes handed to libcurl at once: as many as the body has, up to libcurl's own limit. A
    /// system call for each 2 MiB instead of each 256 KiB saves nearly half of all time.
    private static let sendBuffer: Int64 = 2 << 20
    private static let smallestSendBuffer: Int64 = 65_536

    /// Sets libcurl's options for a request; the callbacks are the transfer's own.
    ///
    /// - Throws: `CurlError` naming the option that libcurl refused.
    func apply(_ request: TransferRequest) throws(CurlError) {
        try keepErrorText()
        try set(.noSignal, to: true)
        try set(.url, to: request.url.absoluteString)
        try set(.pathAsIs, to: true)
        try set(.protocols, to: "http,https")
        try apply(request.proxy, request.proxyAuthentication)
        hint(.bufferSize, Self.receiveBuffer(request))
        if let limit = MonotonicClock.nanoseconds(request.idleLimit) {
            // libcurl shares this among the addresses of a host; the idle limit decides.
            try set(
                .connectTimeoutMilliseconds,
                to: Int(min(limit / 1_000_000 + 1_000, UInt64(Int32.max))))
        }
        try applyMethod(request)
        try applyFields(request)
        if let authentication = request.authentication {
            try apply(authentication)
        }
        if request.isSecure {
            try applyTransportSecurity()
        }
    }

    private func applyMethod(_ request: TransferRequest) throws(CurlError) {
        if request.method == "HEAD" {
            try set(.noBody, to: true)
            return
        }
        if let body = request.body {
            try set(.upload, to: true)
            try set(.inFileSize, to: body.isChunked ? -1 : body.length ?? -1)
            hint(
                .uploadBufferSize,
                Int(max(Self.smallestSendBuffer, min(body.length ?? 262_144, Self.sendBuffer))))
        } else {
            try set(.httpGet, to: true)
        }
        try set(.customRequest, to: request.method)
    }

    private func applyFields(_ request: TransferRequest) throws(CurlError) {
        let lines = CurlStringList()
        var line = ""
        line.reserveCapacity(256)
        for field in request.fields {
            line.removeAll(keepingCapacity: true)
            line += field.name
            if field.value.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
            {
                // libcurl's own spelling of a field that is there and empty.
                line += ";"
            } else {
                line += ": "
                line += field.value
            }
            try lines.append(line)
        }
        if request.isDecoded, !request.hasField("Accept-Encoding") {
            try lines.append("Accept-Encoding: " + ContentDecoder.offer)
        }
        if !request.hasField("Expect") {
            try lines.append("Expect:")
        }
        try set(fields: lines)
    }

    private func apply(_ authentication: TransferAuthentication) throws(CurlError) {
        try set(.httpAuth, to: authentication.scheme.mask)
        try set(.userName, to: authentication.user)
        try set(.password, to: authentication.password)
    }

    /// libcurl judges no certificate: the transfer's pre-request callback does, for each request
    /// and before a byte of it, and an exchange whose callback libcurl refused does not start.
    private func applyTransportSecurity() throws(CurlError) {
        try setServerTLS()
        // The first connection tells whether the others can share it.
        try set(.pipeWait, to: true)
        try set(.sslCipherList, to: Self.ciphers)
        try set(.sslVerifyPeer, to: false)
        try set(.sslVerifyHost, to: 0)
    }
}

extension TransferAuthentication.Scheme {
    /// libcurl's bit for exactly this scheme.
    var mask: Int {
        switch self {
        case .basic: 1 << 0
        case .digest: 1 << 1
        case .negotiate: 1 << 2
        case .ntlm: 1 << 3
        }
    }
}
