import CCurl

/// Owner of one easy handle: one exchange's options, callbacks and, afterwards, facts.
///
/// A refused option is thrown, so it becomes an error of that one transfer.
///
/// ## Concurrency
/// Call from: the thread of the transport that uses it. Lock: none.
final class CurlEasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// Whether a multi handle has it.
    var isAdded = false
    /// Whom libcurl calls (`CurlExchange`); it holds this handle.
    ///
    /// Unchecked for speed: it is only read and replaced whole, and each callback reads it.
    @exclusivity(unchecked)
    unowned var exchange: (any CurlExchange)?
    /// What watches the sockets of the multi handle that has it; the multi handle holds it.
    unowned var loop: (any CurlEventLoop)?
    private let message: UnsafeMutablePointer<CChar>
    /// libcurl keeps pointers to both lists until the exchange is over.
    private var fields: CurlStringList?
    private var addresses: CurlStringList?

    /// - Throws: `CurlError` when libcurl has no handle to give.
    init() throws(CurlError) {
        guard CurlGlobal.isReady, let pointer = curl_easy_init() else {
            throw CurlError(.failedInit)
        }
        self.pointer = pointer
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(pointer)
        message.deallocate()
    }

    func set(_ option: CURLoption, to value: Int) throws(CurlError) {
        try check(ccurl_easy_set_long(pointer, option, value), option)
    }

    /// The pointer is handed to callbacks; whoever sets it keeps what it points at alive.
    func set(_ option: CURLoption, to context: UnsafeMutableRawPointer?) throws(CurlError) {
        try check(ccurl_easy_set_pointer(pointer, option, context), option)
    }

    /// The lines of the request's head that are not libcurl's own.
    func set(fields: CurlStringList) throws(CurlError) {
        try check(
            ccurl_easy_set_pointer(pointer, CURLOPT_HTTPHEADER, fields.head), CURLOPT_HTTPHEADER)
        self.fields = fields
    }

    /// Addresses that need no look-up, each entry in `CURLOPT_RESOLVE`'s form.
    func set(addresses: CurlStringList) throws(CurlError) {
        try check(
            ccurl_easy_set_pointer(pointer, CURLOPT_RESOLVE, addresses.head), CURLOPT_RESOLVE)
        self.addresses = addresses
    }

    /// For `WRITEFUNCTION`, `READFUNCTION` and `HEADERFUNCTION`, which share one shape.
    func set(_ option: CURLoption, to callback: @escaping ccurl_bytes_callback) throws(CurlError) {
        try check(ccurl_easy_set_bytes_callback(pointer, option, callback), option)
    }

    /// Asks libcurl to write the reason of a failure where `error(for:)` finds it.
    func keepErrorText() throws(CurlError) {
        try check(
            ccurl_easy_set_pointer(pointer, CURLOPT_ERRORBUFFER, message), CURLOPT_ERRORBUFFER)
    }

    /// Has libcurl neither receive nor send, until `unpause`. Not from inside a callback.
    func pause() {
        _ = curl_easy_pause(pointer, CURLPAUSE_ALL)
    }

    /// Continues a transfer whose callbacks returned "pause". Not from inside a callback.
    ///
    /// - Returns: an error where a callback, which libcurl calls again at once, refused; then the
    ///   transfer is over.
    func unpause(receiving: Bool) -> CurlCode {
        CurlCode(curl_easy_pause(pointer, receiving ? CURLPAUSE_CONT : CURLPAUSE_RECV))
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

    /// The failure behind a code, with libcurl's text and the system's error number.
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
