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

    private let socketChanged: (_ socket: Int32, _ reading: Bool, _ writing: Bool) -> Void
    private let timerChanged: (_ milliseconds: Int) -> Void

    /// - Parameters:
    ///   - socketChanged: called when libcurl waits for a socket in another way, or no more.
    ///   - timerChanged: called when libcurl sets its timer; -1 is none.
    /// - Throws: `CurlError` when libcurl has no handle to give.
    init(
        socketChanged: @escaping (_ socket: Int32, _ reading: Bool, _ writing: Bool) -> Void,
        timerChanged: @escaping (_ milliseconds: Int) -> Void
    ) throws(CurlError) {
        guard CurlGlobal.isReady, let pointer = curl_multi_init() else {
            throw CurlError(.failedInit)
        }
        self.pointer = pointer
        self.socketChanged = socketChanged
        self.timerChanged = timerChanged
        try setCallbacks()
    }

    deinit {
        curl_multi_cleanup(pointer)
    }

    /// How many connections may be open, in use and kept.
    func keepConnections(_ count: Int) throws(CurlError) {
        try check(ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, count))
    }

    private func setCallbacks() throws(CurlError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(ccurl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, context))
        try check(
            ccurl_multi_set_socket_callback(pointer) { _, socket, what, context, _ in
                let isBoth = what == CURL_POLL_INOUT
                CurlMultiHandle.from(context)?.socketChanged(
                    socket, isBoth || what == CURL_POLL_IN, isBoth || what == CURL_POLL_OUT)
                return 0
            })
        try check(ccurl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, context))
        try check(
            ccurl_multi_set_timer_callback(pointer) { _, milliseconds, context in
                CurlMultiHandle.from(context)?.timerChanged(milliseconds)
                return 0
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlMultiHandle? {
        context.map { Unmanaged<CurlMultiHandle>.fromOpaque($0).takeUnretainedValue() }
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

    /// Tells libcurl that a socket is ready.
    func act(on socket: Int32, readable: Bool, writable: Bool, failed: Bool) {
        act(
            on: socket,
            (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0)
                | (failed ? CURL_CSELECT_ERR : 0))
    }

    /// Tells libcurl that its timer is due.
    func actOnTimer() {
        act(on: CURL_SOCKET_TIMEOUT, 0)
    }

    private func act(on socket: Int32, _ readiness: Int32) {
        var running: Int32 = 0
        _ = inside { curl_multi_socket_action(pointer, socket, readiness, &running) }
    }

    /// The next exchange that ended, and how.
    func nextFinished() -> (exchange: CurlExchange, result: CurlCode)? {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(pointer, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            var context: UnsafeMutableRawPointer?
            ccurl_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
            if let context {
                return (
                    Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue(),
                    CurlCode(ccurl_message_result(message))
                )
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
