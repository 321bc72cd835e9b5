import CCurl

/// A version of TLS that a connection may be asked for.
public enum TLSVersion: Int, Sendable, Comparable, CaseIterable, Codable {
    /// RFC 5246, the least that this package speaks.
    case tls12 = 12
    /// RFC 8446.
    case tls13 = 13

    /// By age.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// An option of an easy handle, by libcurl's own name, with the type of its value.
struct CurlOption<Value> {
    fileprivate let raw: CURLoption
}

extension CurlOption<Bool> {
    static var noSignal: Self { Self(raw: CURLOPT_NOSIGNAL) }
    static var pathAsIs: Self { Self(raw: CURLOPT_PATH_AS_IS) }
    static var noBody: Self { Self(raw: CURLOPT_NOBODY) }
    static var upload: Self { Self(raw: CURLOPT_UPLOAD) }
    static var httpGet: Self { Self(raw: CURLOPT_HTTPGET) }
    static var freshConnect: Self { Self(raw: CURLOPT_FRESH_CONNECT) }
    static var forbidReuse: Self { Self(raw: CURLOPT_FORBID_REUSE) }
    static var pipeWait: Self { Self(raw: CURLOPT_PIPEWAIT) }
    static var sslVerifyPeer: Self { Self(raw: CURLOPT_SSL_VERIFYPEER) }
    static var sslSessionCache: Self { Self(raw: CURLOPT_SSL_SESSIONID_CACHE) }
    static var proxySSLVerifyPeer: Self { Self(raw: CURLOPT_PROXY_SSL_VERIFYPEER) }
}

extension CurlOption<Int> {
    static var bufferSize: Self { Self(raw: CURLOPT_BUFFERSIZE) }
    static var uploadBufferSize: Self { Self(raw: CURLOPT_UPLOAD_BUFFERSIZE) }
    static var connectTimeoutMilliseconds: Self { Self(raw: CURLOPT_CONNECTTIMEOUT_MS) }
    static var dnsCacheTimeout: Self { Self(raw: CURLOPT_DNS_CACHE_TIMEOUT) }
    static var httpAuth: Self { Self(raw: CURLOPT_HTTPAUTH) }
    static var proxyAuth: Self { Self(raw: CURLOPT_PROXYAUTH) }
    static var socks5Auth: Self { Self(raw: CURLOPT_SOCKS5_AUTH) }
    static var sslVerifyHost: Self { Self(raw: CURLOPT_SSL_VERIFYHOST) }
    static var proxySSLVerifyHost: Self { Self(raw: CURLOPT_PROXY_SSL_VERIFYHOST) }
}

extension CurlOption<Int64> {
    static var inFileSize: Self { Self(raw: CURLOPT_INFILESIZE_LARGE) }
    static var maxReceiveSpeed: Self { Self(raw: CURLOPT_MAX_RECV_SPEED_LARGE) }
    static var maxSendSpeed: Self { Self(raw: CURLOPT_MAX_SEND_SPEED_LARGE) }
}

extension CurlOption<String?> {
    static var url: Self { Self(raw: CURLOPT_URL) }
    static var requestTarget: Self { Self(raw: CURLOPT_REQUEST_TARGET) }
    static var unixSocketPath: Self { Self(raw: CURLOPT_UNIX_SOCKET_PATH) }
    static var protocols: Self { Self(raw: CURLOPT_PROTOCOLS_STR) }
    static var customRequest: Self { Self(raw: CURLOPT_CUSTOMREQUEST) }
    static var userName: Self { Self(raw: CURLOPT_USERNAME) }
    static var password: Self { Self(raw: CURLOPT_PASSWORD) }
    static var sslCipherList: Self { Self(raw: CURLOPT_SSL_CIPHER_LIST) }
    static var proxy: Self { Self(raw: CURLOPT_PROXY) }
    static var noProxy: Self { Self(raw: CURLOPT_NOPROXY) }
    static var proxySSLCipherList: Self { Self(raw: CURLOPT_PROXY_SSL_CIPHER_LIST) }
    static var proxyCAInfo: Self { Self(raw: CURLOPT_PROXY_CAINFO) }
    static var proxyCAPath: Self { Self(raw: CURLOPT_PROXY_CAPATH) }
}

extension CurlEasyHandle {
    func set(_ option: CurlOption<Bool>, to value: Bool) throws(CurlError) {
        try set(option.raw, to: value ? 1 : 0)
    }

    func set(_ option: CurlOption<Int>, to value: Int) throws(CurlError) {
        try set(option.raw, to: value)
    }

    func set(_ option: CurlOption<Int64>, to value: Int64) throws(CurlError) {
        try check(ccurl_easy_set_offset(pointer, option.raw, curl_off_t(value)), option.raw)
    }

    /// libcurl copies the text; nil restores the default.
    func set(_ option: CurlOption<String?>, to text: String?) throws(CurlError) {
        guard let text else {
            return try check(ccurl_easy_set_text(pointer, option.raw, nil), option.raw)
        }
        // Without `withCString` the string would be copied first.
        try check(text.withCString { ccurl_easy_set_text(pointer, option.raw, $0) }, option.raw)
    }

    /// Sets an option that only makes the exchange faster; libcurl may refuse it.
    func hint(_ option: CurlOption<Int>, _ value: Int) {
        _ = ccurl_easy_set_long(pointer, option.raw, value)
    }

    /// Sets the least version of TLS, and offers HTTP/2.
    func setServerTLS(_ minimum: TLSVersion) throws(CurlError) {
        try set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_2TLS))
        let version =
            minimum == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        try set(CURLOPT_SSLVERSION, to: Int(version))
    }

    /// HTTP/1.1 alone. Otherwise libcurl 7.88.1 would believe a status line of HTTP/2, although HTTP/2 was
    /// not negotiated, and send further requests on a connection in use.
    func useHTTP1() throws(CurlError) {
        try set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
    }

    /// TLS 1.2 or later with an HTTPS proxy.
    func setProxyTLS() throws(CurlError) {
        try set(CURLOPT_PROXY_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))
    }

    /// Keeps the request's header fields out of CONNECT.
    func separateProxyFields() throws(CurlError) {
        try set(CURLOPT_HEADEROPT, to: Int(CURLHEADER_SEPARATE))
    }

    /// The root certificates for an HTTPS proxy, in PEM; libcurl copies them.
    func setProxyAnchors(pem text: String) throws(CurlError) {
        var bytes = Array(text.utf8)
        let result = bytes.withUnsafeMutableBytes { bytes in
            var blob = curl_blob(
                data: bytes.baseAddress, len: bytes.count, flags: UInt32(CURL_BLOB_COPY))
            return withUnsafeMutablePointer(to: &blob) { blob in
                Result { () throws(CurlError) in
                    try set(CURLOPT_PROXY_CAINFO_BLOB, to: UnsafeMutableRawPointer(blob))
                }
            }
        }
        try result.get()
    }
}

/// Owner of one of libcurl's string lists, such as a request's header lines.
///
/// ## Concurrency
/// Call from: the thread that made it. Lock: none.
final class CurlStringList {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init() {}

    deinit {
        curl_slist_free_all(head)
    }

    /// Adds a copy of the text.
    ///
    /// - Throws: `CurlError` when memory is short; the list is as it was.
    func append(_ text: String) throws(CurlError) {
        guard let longer = text.withCString({ curl_slist_append(head, $0) }) else {
            throw CurlError(.outOfMemory)
        }
        head = longer
    }
}
