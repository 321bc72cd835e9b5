import COpenSSL
package import Foundation

/// A server on 127.0.0.1, plain or with TLS, whose connections a test serves itself, each on a thread of
/// its own.
///
/// ## Concurrency
/// Call from: any thread. Lock: that of its connections.
package final class RawServer: @unchecked Sendable {
    // @unchecked because all of it is constant or guards itself.

    /// A connection as the test's closure sees it; blocking.
    package struct Connection {
        fileprivate let socket: Int32
        fileprivate let session: OpaquePointer?

        /// What has come; nil at the end.
        package func read() -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count =
                session.map { Int(SSL_read($0, &buffer, 16_384)) }
                ?? recv(socket, &buffer, buffer.count, 0)
            return count > 0 ? Array(buffer.prefix(count)) : nil
        }

        /// Reads at least to the end of a head, and gives what came as text; nil where the connection ends
        /// before.
        package func readHead() -> String? {
            var data = Data()
            let end = Data("\r\n\r\n".utf8)
            var place = 0
            while data.range(of: end, in: place..<data.count) == nil {
                place = max(0, data.count - 3)
                guard let more = read() else { return nil }
                data.append(contentsOf: more)
            }
            return String(decoding: data, as: UTF8.self)
        }

        /// Whether all of it was sent.
        package func write(_ bytes: [UInt8]) -> Bool {
            if let session { return SSL_write(session, bytes, Int32(bytes.count)) > 0 }
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

        /// Sends a KeyUpdate of TLS 1.3, which asks for none in return.
        package func updateKeys() -> Bool {
            guard let session else { return false }
            return SSL_key_update(session, SSL_KEY_UPDATE_NOT_REQUESTED) == 1
                && SSL_do_handshake(session) == 1
        }

        /// Does something again and again, for twenty seconds or until it returns false.
        package func endlessly(_ body: () -> Bool) {
            let deadline = Date(timeIntervalSinceNow: 20)
            while Date() < deadline, body() {}
        }
    }

    private let connections: AcceptingSocket
    private let context: OpaquePointer?
    private let handler: @Sendable (Connection) -> Void
    package var port: UInt16 { connections.port }

    /// - Parameters:
    ///   - settings: how it shows itself; nil for a server without TLS.
    ///   - serve: what a connection gets; its sending ends afterwards.
    /// - Throws: `TLSPeerError` when there is no socket, or OpenSSL refuses the settings.
    package init(
        _ settings: TLSServer.Settings? = nil, serve: @escaping @Sendable (Connection) -> Void
    ) throws {
        context = try settings.map { try TLSServer.context($0) }
        connections = try AcceptingSocket()
        handler = serve
        connections.start { [self] socket, _ in self.serve(socket) }
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// `https` with TLS, on `localhost`.
    package func url(_ path: String = "/") throws -> URL {
        let scheme = context == nil ? "http" : "https"
        guard let url = URL(string: "\(scheme)://localhost:\(port)\(path)") else {
            throw TLSPeerError("no URL")
        }
        return url
    }

    /// Closes everything and waits until its threads have ended.
    package func stop() {
        connections.stop()
    }

    private func serve(_ socket: Int32) {
        guard let context else { return handler(Connection(socket: socket, session: nil)) }
        guard let session = SSL_new(context) else { return }
        defer { SSL_free(session) }
        SSL_set_fd(session, socket)
        guard SSL_accept(session) == 1 else { return }
        handler(Connection(socket: socket, session: session))
    }
}
