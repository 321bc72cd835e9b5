import COpenSSL
package import HTTPSemantics
import Foundation

/// TLS on 127.0.0.1 in front of a plain port, such as that of a test proxy: a thread a connection.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the count.
package final class TLSFront: @unchecked Sendable {
    // @unchecked because the count is under the condition, and the rest is constant; OpenSSL
    // counts the owners of its context itself.
    private let connections: AcceptingSocket
    private let context: OpaquePointer
    private let target: UInt16
    private var good = 0
    package var port: UInt16 { connections.port }
    private var condition: NSCondition { connections.condition }

    /// - Parameters:
    ///   - chain: what is sent after the identity's own certificate.
    ///   - target: the port that gets the decrypted bytes.
    ///   - highest: OpenSSL's number of the highest version; 0 leaves it open.
    /// - Throws: `TLSPeerError` when there is no socket, or OpenSSL refuses the settings.
    package init(
        _ identity: Identity, chain: [Certificate], target: UInt16, highest: Int = 0
    ) throws {
        var settings = TLSServer.Settings(identity, chain: chain)
        settings.highest = highest
        context = try TLSServer.context(settings)
        connections = try AcceptingSocket()
        self.target = target
        connections.start { [self] socket, _ in serve(socket) }
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// Handshakes that ended well.
    package var handshakes: Int { condition.withLock { good } }

    /// Closes everything, waits until its threads have ended, and returns the good handshakes.
    @discardableResult
    package func stop() -> Int {
        connections.stop()
        return handshakes
    }

    private func serve(_ socket: Int32) {
        guard let session = SSL_new(context) else { return }
        defer { SSL_free(session) }
        guard let plain = try? connectedSocket(to: target) else { return }
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
}
