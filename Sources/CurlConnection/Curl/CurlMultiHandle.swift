import CCurl

/// Owner of one multi handle: the exchanges under way, their sockets and the pool of connections.
///
/// ## Concurrency
/// Call from: the thread of the transport that uses it. Lock: none. No call but
/// `CurlEasyHandle`'s getters is allowed from inside a callback; `isInside` tells.
final class CurlMultiHandle {
    private let pointer: UnsafeMutableRawPointer
    /// Whether libcurl is on the stack; adding, removing and unpausing must wait until it is not.
    private(set) var isInside = false

    /// - Throws: `CurlError` when libcurl has no handle to give.
    init() throws(CurlError) {
        guard CurlGlobal.isReady, let pointer = curl_multi_init() else {
            throw CurlError(.failedInit)
        }
        self.pointer = pointer
    }

    deinit {
        curl_multi_cleanup(pointer)
    }

    func set(_ option: CURLMoption, to value: Int) throws(CurlError) {
        try check(ccurl_multi_set_long(pointer, option, value))
    }

    func setSocketCallback(
        context: UnsafeMutableRawPointer,
        _ callback:
            @escaping @convention(c) (
                UnsafeMutableRawPointer?, curl_socket_t, Int32, UnsafeMutableRawPointer?,
                UnsafeMutableRawPointer?
            ) -> Int32
    ) throws(CurlError) {
        try check(ccurl_multi_set_socket_callback(pointer, callback))
        try check(ccurl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, context))
    }

    func setTimerCallback(
        context: UnsafeMutableRawPointer,
        _ callback:
            @escaping @convention(c) (
                UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?
            ) -> Int32
    ) throws(CurlError) {
        try check(ccurl_multi_set_timer_callback(pointer, callback))
        try check(ccurl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, context))
    }

    func add(_ easy: CurlEasyHandle) throws(CurlError) {
        try check(inside { curl_multi_add_handle(pointer, easy.pointer) })
    }

    func remove(_ easy: CurlEasyHandle) {
        _ = inside { curl_multi_remove_handle(pointer, easy.pointer) }
    }

    /// Unpausing may call back at once, so it counts as being inside.
    func unpause(_ easy: CurlEasyHandle, receiving: Bool) -> CurlCode {
        inside { easy.unpause(receiving: receiving) }
    }

    /// Tells libcurl that a socket is ready; `readiness` is a set of `CURL_CSELECT_` bits.
    func act(on socket: Int32, readiness: Int32) {
        var running: Int32 = 0
        _ = inside { curl_multi_socket_action(pointer, socket, readiness, &running) }
    }

    /// Tells libcurl that its timer is due.
    func actOnTimer() {
        act(on: CURL_SOCKET_TIMEOUT, readiness: 0)
    }

    /// The next exchange that ended, by the context its handle was given, and how.
    func nextFinished() -> (context: UnsafeMutableRawPointer, result: CurlCode)? {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(pointer, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            var context: UnsafeMutableRawPointer?
            ccurl_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
            if let context {
                return (context, CurlCode(ccurl_message_result(message)))
            }
        }
        return nil
    }

    private func inside<Result>(_ call: () -> Result) -> Result {
        let wasInside = isInside
        isInside = true
        defer { isInside = wasInside }
        return call()
    }

    private func check(_ code: CURLMcode) throws(CurlError) {
        guard code == CURLM_OK else {
            let text = curl_multi_strerror(code).map { String(cString: $0) } ?? "unknown"
            throw CurlError(.failedInit, message: "libcurl's multi interface: \(text)")
        }
    }
}
