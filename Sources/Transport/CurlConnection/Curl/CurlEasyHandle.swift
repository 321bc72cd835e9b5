import CCurl

/// Owner of one easy handle: the options and callbacks of one exchange, and what libcurl counted in it.
///
/// An option that libcurl refuses is thrown, and fails that exchange alone.
///
/// ## Concurrency
/// Call from: the thread of the transport that uses it. Lock: none.
final class CurlEasyHandle {
    // Exclusivity is unchecked for speed, because each callback reads them: nothing is called while one changes.

    let pointer: UnsafeMutableRawPointer
    /// Whether it was added to a multi handle, and not removed.
    @exclusivity(unchecked) var isAdded = false
    /// What libcurl's callbacks call; it retains this handle.
    @exclusivity(unchecked) unowned var exchange: (any CurlExchange)?
    /// The multi handle it was added to last, and that one's watch.
    @exclusivity(unchecked) unowned var multi: CurlMultiHandle?
    @exclusivity(unchecked) var watch: CallWatch?
    /// The sockets that were opened for it.
    @exclusivity(unchecked) var sockets: [Int32] = []
    /// The number of the connection that was opened for it, or that it reused, last.
    @exclusivity(unchecked) var connection: UInt64?
    /// Whether no socket could be opened for it at a limit of the process or the system (`EMFILE`, `ENFILE`).
    @exclusivity(unchecked) var lacksDescriptors = false
    private let message: UnsafeMutablePointer<CChar>
    /// libcurl keeps pointers into the lists until the exchange is over.
    @exclusivity(unchecked) private var fields: CurlStringList?
    @exclusivity(unchecked) private var addresses: CurlStringList?
    @exclusivity(unchecked) private var proxyFields: CurlStringList?

    /// - Throws: `CurlError` when libcurl has no handle to give.
    init() throws(CurlError) {
        let made = CurlGlobal.whileOpen { CurlGlobal.isReady ? curl_easy_init() : nil }
        guard let made, let pointer = made else { throw CurlError(.failedInit) }
        self.pointer = pointer
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        // At exit libcurl is not called any more; the memory goes with the process.
        guard CurlGlobal.whileOpen({ curl_easy_cleanup(pointer) }) != nil else { return }
        message.deallocate()
    }

    func set(_ option: CURLoption, to value: Int) throws(CurlError) {
        try check(ccurl_easy_set_long(pointer, option, value), option)
    }

    /// A pointer that libcurl passes to callbacks; the caller keeps its target alive.
    func set(_ option: CURLoption, to context: UnsafeMutableRawPointer?) throws(CurlError) {
        try check(ccurl_easy_set_pointer(pointer, option, context), option)
    }

    /// The request's header lines, besides those that libcurl writes itself.
    func set(fields: CurlStringList) throws(CurlError) {
        try set(CURLOPT_HTTPHEADER, to: fields.head)
        self.fields = fields
    }

    /// A header line for the proxy alone, in CONNECT or in a request that it forwards.
    func setProxyField(_ line: String) throws(CurlError) {
        let list = CurlStringList()
        try list.append(line)
        try set(CURLOPT_PROXYHEADER, to: list.head)
        proxyFields = list
    }

    /// Addresses that need no look-up, each entry in `CURLOPT_RESOLVE`'s form.
    func set(addresses: CurlStringList) throws(CurlError) {
        try set(CURLOPT_RESOLVE, to: addresses.head)
        self.addresses = addresses
    }

    /// For `WRITEFUNCTION`, `READFUNCTION` and `HEADERFUNCTION`, which share one shape.
    func set(_ option: CURLoption, to callback: @escaping ccurl_bytes_callback) throws(CurlError) {
        try check(ccurl_easy_set_bytes_callback(pointer, option, callback), option)
    }

    /// Asks libcurl to write the reason of a failure where `error(for:)` finds it.
    func keepErrorText() throws(CurlError) {
        try set(CURLOPT_ERRORBUFFER, to: message)
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_easy_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return ccurl_easy_get_offset(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    /// OpenSSL's object for the connection in use, from inside a callback; nil without TLS, and
    /// when libcurl was built with another TLS library.
    var openSSL: OpaquePointer? {
        var session: UnsafeMutableRawPointer?
        guard ccurl_easy_get_pointer(pointer, CURLINFO_TLS_SSL_PTR, &session) == CURLE_OK,
            let known = session?.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee,
            known.backend == CURLSSLBACKEND_OPENSSL
        else { return nil }
        return known.internals.map { OpaquePointer($0) }
    }

    /// A code with libcurl's text and the system's error number.
    func error(for result: CurlCode) -> CurlError {
        CurlError(
            result, message: String(cString: message),
            systemError: Int32(truncatingIfNeeded: long(CURLINFO_OS_ERRNO)))
    }

    func check(_ code: CURLcode, _ option: CURLoption) throws(CurlError) {
        guard code == CURLE_OK else {
            let result = CurlCode(code)
            throw CurlError(
                result, message: "libcurl refused option \(option.rawValue): \(result.text)")
        }
    }
}

// MARK: What libcurl counted

extension CurlEasyHandle {
    /// How many connections libcurl made for it; 0 where it reused one.
    var connectionsMade: Int { long(CURLINFO_NUM_CONNECTS) }

    /// Whether the connection that libcurl used last is still open.
    var hasConnection: Bool { ccurl_easy_get_socket(pointer) != CURL_SOCKET_BAD }

    /// Bytes of the request's body that libcurl has written to the socket.
    var uploadedBytes: Int64 { offset(CURLINFO_SIZE_UPLOAD_T) }

    /// The status of the response to CONNECT, or 0.
    var connectStatus: Int { long(CURLINFO_HTTP_CONNECTCODE) }

    /// Why a SOCKS proxy refused, as one of libcurl's `CURLPX_` numbers.
    var proxyError: Int { long(CURLINFO_PROXY_ERROR) }

    /// Bytes of all requests that it was used for, without their bodies.
    var requestBytes: Int64 {
        let all = Int64(long(CURLINFO_REQUEST_SIZE))
        return CurlGlobal.countsBodiesInRequests ? max(0, all - uploadedBytes) : all
    }
}
