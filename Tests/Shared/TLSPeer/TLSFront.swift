import COpenSSL
package import HTTPSemantics
import Foundation

/// TLS on 127.0.0.1 in front of a plain port, such as that of a test proxy: a thread a connection.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the counters.
package final class TLSFront: @unchecked Sendable {
    // @unchecked because the counters are under the condition, and the rest is constant; OpenSSL
    // counts the owners of its context itself.
    package let port: UInt16
    private let listener: Int32
    private let context: OpaquePointer
    private let target: UInt16
    private let condition = NSCondition()
    private var open: Set<Int32> = []
    private var running = 1
    private var good = 0
    private var isStopped = false

    /// - Parameters:
    ///   - chain: what is sent after the identity's own certificate.
    ///   - target: the port that gets the decrypted bytes.
    ///   - highest: OpenSSL's number of the highest version; 0 leaves it open.
    /// - Throws: `TLSPeerError` when there is no socket, or OpenSSL refuses the settings.
    package init(
        _ identity: Identity, chain: [Certificate], target: UInt16, highest: Int = 0
    ) throws {
        signal(SIGPIPE, SIG_IGN)
        var settings = TLSServer.Settings(identity, chain: chain)
        settings.highest = highest
        context = try TLSServer.context(settings)
        self.target = target
        (listener, port) = try TLSServer.listen()
        let thread = Thread { [self] in accept() }
        thread.start()
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// Handshakes that ended well.
    package var handshakes: Int { condition.withLock { good } }

    /// Closes everything, waits until its threads have ended, and returns the good handshakes.
    @discardableResult
    package func stop() -> Int {
        let deadline = Date(timeIntervalSinceNow: 20)
        return condition.withLock {
            // Once: the number of a closed socket may be another's.
            if !isStopped { shutdown(listener, Int32(SHUT_RDWR)) }
            isStopped = true
            for socket in open { shutdown(socket, Int32(SHUT_RDWR)) }
            while running > 0, condition.wait(until: deadline) {}
            return good
        }
    }

    private func accept() {
        while case let socket = Glibc.accept(listener, nil, nil), socket >= 0 {
            condition.withLock {
                running += 1
                open.insert(socket)
            }
            let thread = Thread { [self] in
                serve(socket)
                TLSServer.endSending(on: socket)
                end(socket)
                close(socket)
            }
            thread.start()
        }
        condition.withLock { isStopped = true }
        close(listener)
        end(-1)
    }

    private func end(_ socket: Int32) {
        condition.withLock {
            open.remove(socket)
            running -= 1
            condition.broadcast()
        }
    }

    private func serve(_ socket: Int32) {
        guard let session = SSL_new(context) else { return }
        defer { SSL_free(session) }
        guard let plain = Self.connect(to: target) else { return }
        defer { close(plain) }
        SSL_set_fd(session, socket)
        guard SSL_accept(session) == 1 else { return }
        condition.withLock { good += 1 }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            var ends = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                pollfd(fd: plain, events: Int16(POLLIN), revents: 0),
            ]
            guard SSL_pending(session) > 0 || poll(&ends, 2, -1) > 0 else { return }
            if SSL_pending(session) > 0 || ends[0].revents != 0 {
                let count = SSL_read(session, &buffer, 16_384)
                guard count > 0, write(plain, buffer, Int(count)) == Int(count) else { return }
            }
            if ends[1].revents != 0 {
                let count = read(plain, &buffer, 16_384)
                guard count > 0 else {
                    SSL_shutdown(session)
                    return
                }
                guard SSL_write(session, buffer, Int32(count)) > 0 else { return }
            }
        }
    }

    private static func connect(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
