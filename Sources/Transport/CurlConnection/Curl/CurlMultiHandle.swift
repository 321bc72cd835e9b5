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
    /// The number of the connection that a socket is, or was last.
    func number(of socket: Int32) -> UInt64
    /// A connection's socket was replaced by one that is not connected (`CallWatch`); libcurl has not closed it yet,
    /// or has by now.
    func cut(_ socket: Int32)
}

/// Owner of one multi handle: the exchanges under way, their sockets and the pool of connections.
///
/// ## Concurrency
/// Call from: the thread of the transport that uses it. Lock: none. From inside a callback, that is,
/// while `isInside`, libcurl allows the getters of `CurlEasyHandle` and no other call.
final class CurlMultiHandle {
    private let pointer: UnsafeMutableRawPointer

    // Unchecked for speed, because each call of libcurl changes them: libcurl is called when none of them is being
    // changed.

    /// Whether libcurl is on the stack.
    @exclusivity(unchecked) private(set) var isInside = false
    /// The exchanges that were added and not removed.
    @exclusivity(unchecked) private(set) var count = 0

    private let loop: any CurlEventLoop
    private let watch = CallWatch()
    /// By socket: for which exchange libcurl has opened it, as long as it has both.
    @exclusivity(unchecked) private var openers: [Int32: Opener] = [:]

    private struct Opener {
        /// Nil once the exchange is removed.
        weak var easy: CurlEasyHandle?
        /// What the number stands for.
        let file: OpenFile?
    }

    /// - Throws: `CurlError` when libcurl has no handle to give.
    init(_ loop: any CurlEventLoop) throws(CurlError) {
        let made = CurlGlobal.whileOpen {
            CurlGlobal.isReady ? WakeUpPair.hidden(curl_multi_init) : nil
        }
        guard let made, let pointer = made else { throw CurlError(.failedInit) }
        self.pointer = pointer
        self.loop = loop
        try setCallbacks()
    }

    deinit {
        // libcurl reads from each TLS connection once more.
        CurlGlobal.whileOpen {
            watch.enter()
            curl_multi_cleanup(pointer)
            _ = watch.leave()
        }
        watch.end()
    }

    /// Sets how many connections may be open, in use and kept.
    func keepConnections(_ count: Int) throws(CurlError) {
        try check(ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, count))
    }

    /// Has libcurl close the oldest idle connection for each that it opens while there are so many; 0: any number
    /// may be open. Where none is idle, a request waits.
    func limitConnections(_ count: Int) throws(CurlError) {
        try check(ccurl_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, count))
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
                if what == CURL_POLL_REMOVE { CurlMultiHandle.drops(socket, in: context) }
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

    private static func watch(of context: UnsafeMutableRawPointer?) -> CallWatch? {
        context.map { Unmanaged<CurlMultiHandle>.fromOpaque($0).takeUnretainedValue().watch }
    }

    private static func multi(of context: UnsafeMutableRawPointer?) -> CurlMultiHandle? {
        context.map { Unmanaged<CurlMultiHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Without the callback for that libcurl closes a socket by which nothing was connected in time.
    private static func drops(_ socket: Int32, in context: UnsafeMutableRawPointer?) {
        guard let multi = multi(of: context), let opener = multi.openers[socket] else { return }
        multi.forgetIfClosed(socket, opener)
        opener.easy?.exchange?.givesUpSocket()
    }

    /// The number may be another file's by now.
    private func forgetIfClosed(_ socket: Int32, _ opener: Opener) {
        guard OpenFile(socket) != opener.file else { return }
        openers[socket] = nil
        watch.closes(socket)
        loop.forget(socket)
    }

    /// Adds an exchange; the loop hears of the sockets that libcurl opens and closes for it.
    func add(_ easy: CurlEasyHandle) throws(CurlError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try easy.set(CURLOPT_CLOSESOCKETDATA, to: context)
        try easy.check(
            ccurl_easy_set_close_callback(easy.pointer) { context, socket in
                // The kernel gives the number to the next socket at once.
                CurlMultiHandle.watch(of: context)?.closes(socket)
                CurlMultiHandle.loop(of: context)?.forget(socket)
                let opener = CurlMultiHandle.multi(of: context)?.openers.removeValue(forKey: socket)
                opener?.easy?.exchange?.givesUpSocket()
                return close(socket)
            }, CURLOPT_CLOSESOCKETFUNCTION)
        // Child processes inherit no socket, and a socket sends as much as the peer has room for.
        try easy.set(CURLOPT_OPENSOCKETDATA, to: Unmanaged.passUnretained(easy).toOpaque())
        try easy.check(
            ccurl_easy_set_open_socket(easy.pointer) { context, _, address in
                let socket = ccurl_open_socket(address)
                if socket < 0, [EMFILE, ENFILE].contains(errno), let context {
                    let easy = Unmanaged<CurlEasyHandle>.fromOpaque(context).takeUnretainedValue()
                    easy.lacksDescriptors = true
                }
                return socket
            }, CURLOPT_OPENSOCKETFUNCTION)
        try easy.set(CURLOPT_SOCKOPTDATA, to: Unmanaged.passUnretained(easy).toOpaque())
        try easy.check(
            ccurl_easy_set_socket_callback(easy.pointer) { context, socket, _ in
                guard let context else { return Int32(CURL_SOCKOPT_ERROR) }
                let easy = Unmanaged<CurlEasyHandle>.fromOpaque(context).takeUnretainedValue()
                easy.watch?.opened(socket)
                easy.loop?.adopt(socket)
                easy.connection = easy.loop?.number(of: socket)
                easy.multi?.openers[socket] = Opener(easy: easy, file: OpenFile(socket))
                easy.sockets.append(socket)
                easy.exchange?.connects()
                return Int32(CURL_SOCKOPT_OK)
            }, CURLOPT_SOCKOPTFUNCTION)
        easy.loop = loop
        easy.watch = watch
        easy.multi = self
        try check(inside { curl_multi_add_handle(pointer, easy.pointer) })
        easy.isAdded = true
        count += 1
    }

    func remove(_ easy: CurlEasyHandle) {
        guard easy.isAdded else { return }
        easy.isAdded = false
        count -= 1
        let own = easy.sockets.filter { openers[$0]?.easy === easy }
        for socket in own { openers[socket]?.easy = nil }
        _ = inside { curl_multi_remove_handle(pointer, easy.pointer) }
        // Of a socket by which nothing was connected libcurl says at most that it looks at it no more, and where it
        // was refused at once, nothing.
        for socket in own {
            guard let opener = openers[socket], opener.easy == nil else { continue }
            forgetIfClosed(socket, opener)
            openers[socket] = nil
        }
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
        guard !isInside else { return call() }
        isInside = true
        watch.enter()
        defer {
            isInside = false
            for socket in watch.leave() { loop.cut(socket) }
        }
        return call()
    }

    private func check(_ code: CURLMcode) throws(CurlError) {
        guard code == CURLM_OK else {
            let text = curl_multi_strerror(code).map { String(cString: $0) } ?? "unknown"
            throw CurlError(.failedInit, message: "libcurl's multi interface: \(text)")
        }
    }
}
