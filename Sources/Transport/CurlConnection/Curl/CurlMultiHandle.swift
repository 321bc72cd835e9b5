import CCurl
import Foundation

/// Watches libcurl's sockets and keeps its timer.
///
/// ## Concurrency
/// Call from: the thread of the multi handle. Lock: none.
protocol CurlEventLoop: AnyObject {
    /// Changes what libcurl waits for at a socket; nothing where both are false.
    func watch(_ socket: Int32, reading: Bool, writing: Bool)
    /// Sets libcurl's timer; -1 is none.
    func setTimer(milliseconds: Int)
    /// libcurl has opened a socket for a connection.
    func adopt(_ socket: Int32)
    /// libcurl is about to close a connection's socket.
    func forget(_ socket: Int32)
    /// The number of the connection that a socket is, or was last.
    func number(of socket: Int32) -> UInt64
    /// `CallWatch` has replaced a connection's socket; libcurl may have closed it by now.
    func cut(_ socket: Int32)
}

/// Owner of one multi handle: the exchanges under way, their sockets and the connection pool.
///
/// ## Concurrency
/// Call from: the thread of the transport that uses it. Lock: none. Inside a callback, that is, while `isInside`,
/// libcurl allows the getters of `CurlEasyHandle` and no other call.
final class CurlMultiHandle {
    private let pointer: UnsafeMutableRawPointer

    // Exclusivity is unchecked for speed, because each call of libcurl changes them; libcurl is never called while
    // one is being changed.

    /// Whether a call of libcurl is under way.
    @exclusivity(unchecked) private(set) var isInside = false
    /// The exchanges that were added and not removed.
    @exclusivity(unchecked) private(set) var count = 0

    private let loop: any CurlEventLoop
    private let watch = CallWatch()
    /// For which exchange libcurl has opened a socket, while it has both.
    @exclusivity(unchecked) private var openers: [Int32: Opener] = [:]

    private struct Opener {
        /// Nil once the exchange is removed.
        weak var easy: CurlEasyHandle?
        let file: OpenFile?
    }

    /// - Throws: `CurlError` when libcurl has no handle to give.
    init(_ loop: any CurlEventLoop) throws(CurlError) {
        let made = CurlGlobal.whileOpen {
            CurlGlobal.isReady ? WakeUpPair.closedOnExec(curl_multi_init) : nil
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

    /// Sets how many connections may be open; 0: any number. At the limit libcurl closes the oldest idle connection
    /// for each that it opens; where none is idle, a request waits.
    func limitConnections(_ count: Int) throws(CurlError) {
        try check(ccurl_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, count))
    }

    private func setCallbacks() throws(CurlError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(ccurl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, context))
        try check(
            ccurl_multi_set_socket_callback(pointer) { _, socket, what, context, _ in
                let multi = CurlMultiHandle.at(context)
                let isBoth = what == CURL_POLL_INOUT
                multi?.loop.watch(
                    socket, reading: isBoth || what == CURL_POLL_IN,
                    writing: isBoth || what == CURL_POLL_OUT)
                if what == CURL_POLL_REMOVE { multi?.drop(socket) }
                return 0
            })
        try check(ccurl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, context))
        try check(
            ccurl_multi_set_timer_callback(pointer) { _, milliseconds, context in
                CurlMultiHandle.at(context)?.loop.setTimer(milliseconds: milliseconds)
                return 0
            })
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlMultiHandle? {
        context.map { Unmanaged<CurlMultiHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// libcurl stops watching a socket. One that never connected it closes without the callback for that.
    private func drop(_ socket: Int32) {
        guard let opener = openers[socket] else { return }
        forgetIfClosed(socket, opener)
        opener.easy?.exchange?.givesUpSocket()
    }

    private func close(_ socket: Int32) -> Int32 {
        // First, because the kernel gives the number to the next socket at once.
        watch.closes(socket)
        loop.forget(socket)
        openers.removeValue(forKey: socket)?.easy?.exchange?.givesUpSocket()
        return Foundation.close(socket)
    }

    private func opened(_ socket: Int32, for easy: CurlEasyHandle) {
        watch.opened(socket)
        loop.adopt(socket)
        easy.connection = loop.number(of: socket)
        openers[socket] = Opener(easy: easy, file: OpenFile(socket))
        easy.sockets.append(socket)
        easy.exchange?.connects()
    }

    /// The number may be another file's by now.
    private func forgetIfClosed(_ socket: Int32, _ opener: Opener) {
        guard OpenFile(socket) != opener.file else { return }
        openers[socket] = nil
        watch.closes(socket)
        loop.forget(socket)
    }

    /// Adds an exchange. The loop is called for the sockets that libcurl opens and closes for it.
    func add(_ easy: CurlEasyHandle) throws(CurlError) {
        try easy.set(CURLOPT_CLOSESOCKETDATA, to: Unmanaged.passUnretained(self).toOpaque())
        try easy.check(
            ccurl_easy_set_close_callback(easy.pointer) { context, socket in
                CurlMultiHandle.at(context)?.close(socket) ?? Foundation.close(socket)
            }, CURLOPT_CLOSESOCKETFUNCTION)
        // libcurl's own sockets are inherited by child processes, and limit what they send at once.
        let context = Unmanaged.passUnretained(easy).toOpaque()
        try easy.set(CURLOPT_OPENSOCKETDATA, to: context)
        try easy.check(
            ccurl_easy_set_open_socket(easy.pointer) { context, _, address in
                let socket = ccurl_open_socket(address)
                if socket < 0, [EMFILE, ENFILE].contains(errno) {
                    CurlEasyHandle.at(context)?.lacksDescriptors = true
                }
                return socket
            }, CURLOPT_OPENSOCKETFUNCTION)
        try easy.set(CURLOPT_SOCKOPTDATA, to: context)
        try easy.check(
            ccurl_easy_set_socket_callback(easy.pointer) { context, socket, _ in
                guard let easy = CurlEasyHandle.at(context) else {
                    return Int32(CURL_SOCKOPT_ERROR)
                }
                easy.multi?.opened(socket, for: easy)
                return Int32(CURL_SOCKOPT_OK)
            }, CURLOPT_SOCKOPTFUNCTION)
        (easy.multi, easy.watch) = (self, watch)
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
        // For a socket that never connected libcurl at most stops watching it; where it was refused at once, it
        // calls nothing.
        for socket in own {
            guard let opener = openers[socket], opener.easy == nil else { continue }
            forgetIfClosed(socket, opener)
            openers[socket] = nil
        }
    }

    /// Stops receiving and sending until `unpause`.
    func pause(_ easy: CurlEasyHandle) {
        _ = inside { curl_easy_pause(easy.pointer, CURLPAUSE_ALL) }
    }

    /// Continues an exchange whose callbacks returned "pause". libcurl may call back from inside this call.
    ///
    /// - Returns: an error where a callback refused: the exchange is over.
    func unpause(_ easy: CurlEasyHandle, receiving: Bool) -> CurlCode {
        let directions = receiving ? CURLPAUSE_CONT : CURLPAUSE_RECV
        return CurlCode(inside { curl_easy_pause(easy.pointer, directions) })
    }

    func act(on socket: Int32, readable: Bool, writable: Bool, failed: Bool) {
        act(
            on: socket,
            (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0)
                | (failed ? CURL_CSELECT_ERR : 0))
    }

    func actOnTimer() {
        act(on: CURL_SOCKET_TIMEOUT, 0)
    }

    private func act(on socket: Int32, _ readiness: Int32) {
        var running: Int32 = 0
        _ = inside { curl_multi_socket_action(pointer, socket, readiness, &running) }
    }

    func nextFinished() -> (exchange: any CurlExchange, result: CurlCode)? {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(pointer, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            var context: UnsafeMutableRawPointer?
            ccurl_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
            if let exchange = CurlEasyHandle.at(context)?.exchange {
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

/// The pair of sockets or the pipe by which each multi handle can be woken.
///
/// libcurl 7.88 has executed programs inherit both ends, and offers no access to them.
private enum WakeUpPair {
    /// Makes a multi handle and sets its pair to be closed in executed programs. A program that is executed during
    /// this call may still inherit it.
    ///
    /// The ends are those pairs and pipes that are new, and between which a byte of libcurl's is.
    static func closedOnExec(
        _ make: () -> UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        let before = inherited()
        guard let multi = make() else { return nil }
        let new = inherited().subtracting(before).filter { ccurl_bytes_between($0) == 0 }
        guard !new.isEmpty, curl_multi_wakeup(multi) == CURLM_OK else { return multi }
        for end in new where ccurl_bytes_between(end) > 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        // Has libcurl read its byte.
        var ready: Int32 = 0
        curl_multi_poll(multi, nil, 0, 0, &ready)
        return multi
    }

    /// The pairs and pipes that an executed program inherits.
    private static func inherited() -> Set<Int32> {
        Set(
            DescriptorRoom.open.filter { number in
                let flags = fcntl(number, F_GETFD)
                return flags >= 0 && flags & FD_CLOEXEC == 0 && ccurl_bytes_between(number) >= 0
            })
    }
}
