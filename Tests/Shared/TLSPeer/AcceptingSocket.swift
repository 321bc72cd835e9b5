import Foundation

/// A socket that listens on 127.0.0.1, and what it has accepted: each connection on a thread of its own.
///
/// ## Concurrency
/// Call from: any thread. Lock: its condition, which the server that it belongs to uses too.
final class AcceptingSocket: @unchecked Sendable {
    // @unchecked because the connections are under the condition, and the rest is constant.
    let port: UInt16
    let condition = NSCondition()
    private let listener: Int32
    private var open: Set<Int32> = []
    private var accepted = 0
    private var running = 1
    private var isStopped = false

    /// - Throws: `TLSPeerError` when there is no socket.
    init() throws {
        signal(SIGPIPE, SIG_IGN)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let bound = withAddress(of: 0) { address, size in
            bind(listener, address, size) == 0 && Glibc.listen(listener, 16) == 0
        }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(listener, $0, &size) == 0
            }
        }
        guard bound, isNamed else { throw TLSPeerError("no socket to listen on") }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Accepts until `stop`.
    ///
    /// - Parameter serve: called on the connection's thread with its socket and its number, counted from 1; its sending
    ///   ends afterwards.
    func start(_ serve: @escaping @Sendable (Int32, Int) -> Void) {
        let thread = Thread { [self] in accept(serve) }
        thread.start()
    }

    /// Closes everything, waits until its threads have ended, and returns how many connections came.
    @discardableResult
    func stop() -> Int {
        let deadline = Date(timeIntervalSinceNow: 30)
        return condition.withLock {
            // Once: the number of a closed socket may be another's.
            if !isStopped { shutdown(listener, Int32(SHUT_RDWR)) }
            isStopped = true
            for socket in open { shutdown(socket, Int32(SHUT_RDWR)) }
            while running > 0, condition.wait(until: deadline) {}
            return accepted
        }
    }

    private func accept(_ serve: @escaping @Sendable (Int32, Int) -> Void) {
        while case let socket = Glibc.accept(listener, nil, nil), socket >= 0 {
            let number = condition.withLock {
                running += 1
                accepted += 1
                open.insert(socket)
                return accepted
            }
            let thread = Thread { [self] in
                serve(socket, number)
                Self.endSending(on: socket)
                condition.withLock { _ = open.remove(socket) }
                close(socket)
                end()
            }
            thread.start()
        }
        condition.withLock { isStopped = true }
        close(listener)
        end()
    }

    private func end() {
        condition.withLock {
            running -= 1
            condition.broadcast()
        }
    }

    /// Says that no more follows, and waits until the client has closed the connection, or for twenty seconds.
    ///
    /// Where bytes of the client's are unread at a close, as an acknowledgement of SETTINGS, the
    /// system resets the connection, and the client's next read or write fails.
    private static func endSending(on socket: Int32) {
        shutdown(socket, Int32(SHUT_WR))
        let deadline = Date(timeIntervalSinceNow: 20)
        var end = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let left = deadline.timeIntervalSinceNow, left > 0,
            poll(&end, 1, Int32(left * 1_000)) > 0,
            recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0
        {}
    }
}

/// A socket that is connected to a port of 127.0.0.1.
package func connectedSocket(to port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard withAddress(of: port, { connect(descriptor, $0, $1) == 0 }) else {
        close(descriptor)
        throw TLSPeerError("no connection")
    }
    return descriptor
}

private func withAddress<Result>(
    of port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
