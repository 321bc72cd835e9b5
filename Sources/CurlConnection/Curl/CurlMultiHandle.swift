import CCurl
import Foundation

/// What watches libcurl's sockets and keeps its timer.
///
/// ## Concurrency
/// Call from: the thread of the multi handle. Lock: none.
protocol CurlEventLoop: AnyObject {
    /// libcurl waits for a socket in another way from now on; neither means no more.
    func watch(_ socket: Int32, reading: Bool, writing: Bool)
    /// libcurl sets its timer anew; -1 is none.
    func setTimer(milliseconds: Int)
    /// libcurl has opened a socket for a connection.
    func adopt(_ socket: Int32)
    /// libcurl is about to close a connection's socket.
    func forget(_ socket: Int32)
}

/// Owner of one multi handle: the exchanges under way, their sockets and the pool of connections.
///
/// ## Concurrency
/// Call from: the thread of the transport that uses it. Lock: none. From inside a callback, that is,
/// while `isInside`, libcurl allows the getters of `CurlEasyHandle` and no other call.
final class CurlMultiHandle {
    private let pointer: UnsafeMutableRawPointer
    /// Whether libcurl is on the stack.
    private(set) var isInside = false
    /// The exchanges that were added and not removed.
    private(set) var count = 0

    private let loop: any CurlEventLoop

    /// - Throws: `CurlError` when libcurl has no handle to give.
    init(_ loop: any CurlEventLoop) throws(CurlError) {
        guard CurlGlobal.isReady, let pointer = curl_multi_init() else {
            throw CurlError(.failedInit)
        }
        self.pointer = pointer
        self.loop = loop
        try setCallbacks()
    }

    deinit {
        curl_multi_cleanup(pointer)
    }

    /// Sets how many connections may be open, in use and kept.
    func keepConnections(_ count: Int) throws(CurlError) {
        try check(ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, count))
    }

    private func setCallbacks() throws(CurlError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(ccurl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, context))
        try check(
            ccurl_multi_set_socket_callback(pointer) { _, socket, what, context, _ in
                let isBoth = what == CURL_POLL_INOUT
                CurlMultiHandle.loop(of: context)?.watch(
                    socket, reading: isBoth || what == CURL_POLL_IN,
                    writing: isBoth || what == CURL_POLL_OUT)
                return 0
            })
        try check(ccurl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, context))
        try check(
            ccurl_multi_set_timer_callback(pointer) { _, milliseconds, context in
                CurlMultiHandle.loop(of: context)?.setTimer(milliseconds: milliseconds)
                return 0
            })
    }

    private static func loop(of context: UnsafeMutableRawPointer?) -> (any CurlEventLoop)? {
        context.map { Unmanaged<CurlMultiHandle>.fromOpaque($0).takeUnretainedValue().loop }
    }

    /// Adds an exchange; the loop hears of the sockets that libcurl opens and closes for it.
    func add(_ easy: CurlEasyHandle) throws(CurlError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try easy.set(CURLOPT_CLOSESOCKETDATA, to: context)
        try easy.check(
            ccurl_easy_set_close_callback(easy.pointer) { context, socket in
                // The kernel gives the number to the next socket at once.
                CurlMultiHandle.loop(of: context)?.forget(socket)
                return close(socket)
            }, CURLOPT_CLOSESOCKETFUNCTION)
        // Child processes inherit no socket, and a socket sends as much as the peer has room for.
        try easy.check(ccurl_easy_set_open_socket(easy.pointer), CURLOPT_OPENSOCKETFUNCTION)
        try easy.set(CURLOPT_SOCKOPTDATA, to: Unmanaged.passUnretained(easy).toOpaque())
        try easy.check(
            ccurl_easy_set_socket_callback(easy.pointer) { context, socket, _ in
                guard let context else { return Int32(CURL_SOCKOPT_ERROR) }
                let easy = Unmanaged<CurlEasyHandle>.fromOpaque(context).takeUnretainedValue()
                easy.loop?.adopt(socket)
                easy.exchange?.connects()
                return Int32(CURL_SOCKOPT_OK)
            }, CURLOPT_SOCKOPTFUNCTION)
        easy.loop = loop
        try check(inside { curl_multi_add_handle(pointer, easy.pointer) })
        easy.isAdded = true
        count += 1
    }

    func remove(_ easy: CurlEasyHandle) {
        guard easy.isAdded else { return }
        easy.isAdded = false
        count -= 1
        _ = inside { curl_multi_remove_handle(pointer, easy.pointer) }
    }

    func pause(_ easy: CurlEasyHandle) {
        inside { easy.pause() }
    }

    /// libcurl may call back from inside this call.
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
    func nextFinished() -> (exchange: any CurlExchange, result: CurlCode)? {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(pointer, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            var context: UnsafeMutableRawPointer?
            ccurl_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
            if let exchange = CurlEasyHandle.exchange(at: context) {
                return (exchange, CurlCode(ccurl_message_result(message)))
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
