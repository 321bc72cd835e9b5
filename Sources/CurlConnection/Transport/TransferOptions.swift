import CCurl
import Foundation

extension CurlEasyHandle {
    /// Sets libcurl's options for a request; the callbacks are the transfer's own.
    ///
    /// - Throws: `CurlError` naming the option that libcurl refused.
    func apply(_ request: TransferRequest) throws(CurlError) {
        try keepErrorText()
        try set(CURLOPT_NOSIGNAL, to: true)
        try set(CURLOPT_URL, to: request.url.absoluteString)
        try set(CURLOPT_PATH_AS_IS, to: true)
        try set(CURLOPT_PROTOCOLS_STR, to: "http,https")
        try apply(request.proxy, request.proxyAuthentication)
        hint(CURLOPT_BUFFERSIZE, 65_536)
        if let limit = MonotonicClock.nanoseconds(request.idleLimit) {
            // libcurl shares this among the addresses of a host; the idle limit decides.
            try set(
                CURLOPT_CONNECTTIMEOUT_MS,
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
            try set(CURLOPT_NOBODY, to: true)
            return
        }
        if let body = request.body {
            try set(CURLOPT_UPLOAD, to: true)
            try set(CURLOPT_INFILESIZE_LARGE, toOffset: body.length ?? -1)
            if body.length.map({ $0 > 65_536 }) ?? true {
                hint(CURLOPT_UPLOAD_BUFFERSIZE, 262_144)
            }
        } else {
            try set(CURLOPT_HTTPGET, to: true)
        }
        try set(CURLOPT_CUSTOMREQUEST, to: request.method)
    }

    private func applyFields(_ request: TransferRequest) throws(CurlError) {
        let lines = CurlStringList()
        for (name, value) in request.fields {
            // libcurl's own spelling of a field that is there and empty.
            let isBlank = value.allSatisfy { $0 == " " || $0 == "\t" }
            try lines.append(isBlank ? "\(name);" : "\(name): \(value)")
        }
        if request.isDecoded,
            !request.fields.contains(where: { $0.name.isSameField(as: "Accept-Encoding") })
        {
            try lines.append("Accept-Encoding: \(ContentDecoder.offer)")
        }
        if !request.fields.contains(where: { $0.name.isSameField(as: "Expect") }) {
            try lines.append("Expect:")
        }
        try set(CURLOPT_HTTPHEADER, to: lines)
    }

    private func apply(_ authentication: TransferAuthentication) throws(CurlError) {
        try set(CURLOPT_HTTPAUTH, to: authentication.scheme.mask)
        try set(CURLOPT_USERNAME, to: authentication.user)
        try set(CURLOPT_PASSWORD, to: authentication.password)
    }

    /// libcurl judges no certificate: the transfer's pre-request callback does, for each request
    /// and before a byte of it, and an exchange whose callback libcurl refused does not start.
    private func applyTransportSecurity() throws(CurlError) {
        try set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_2TLS))
        // The first connection tells whether the others can share it.
        try set(CURLOPT_PIPEWAIT, to: true)
        try set(CURLOPT_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_SSL_CIPHER_LIST, to: Self.ciphers)
        try set(CURLOPT_SSL_VERIFYPEER, to: false)
        try set(CURLOPT_SSL_VERIFYHOST, to: 0)
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
