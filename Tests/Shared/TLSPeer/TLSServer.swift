import COpenSSL
package import HTTPSemantics
package import Foundation

/// An HTTPS server on 127.0.0.1 for tests: one thread a connection, blocking, HTTP/1.1, kept alive.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the journal and the connections.
package final class TLSServer: @unchecked Sendable {
    // @unchecked because the journal is under the condition, and the rest is constant; OpenSSL counts the owners of its context itself.

    /// How it shows itself.
    package struct Settings: Sendable {
        package var identity: Identity
        /// What it sends after its own certificate.
        package var chain: [Certificate] = []
        /// OpenSSL's numbers: 0x0301 for TLS 1.0 to 0x0304 for 1.3; 0 leaves it open.
        package var lowest = 0
        package var highest = 0
        package var ciphers = "DEFAULT:@SECLEVEL=0"
        /// Bytes it sends in place of a handshake, then it closes.
        package var greeting: String?
        /// What becomes of a connection after an answer.
        package var ending = Ending.stays
        /// The whole answer to a request line.
        package var answer: @Sendable (String) -> String = { _ in TLSServer.ok }
        /// In place of `answer`: the records of an answer, by the connection's number and the request
        /// line; none closes the connection without one.
        package var records: (@Sendable (Int, String) -> [String])?
        /// Whether records go to the system in one piece.
        package var isCorked = false
        /// What a connection shows in place of `identity`, by its number.
        package var identityOf: @Sendable (Int) -> Identity? = { _ in nil }
        /// Whether it asks for a client certificate; it takes any, and none.
        package var asksForCertificate = false
        /// The path whose request makes it ask later, on a connection in use (RFC 8446 section 4.6.2).
        package var asksForCertificateAt: String?

        package init(_ identity: Identity, chain: [Certificate] = []) {
            self.identity = identity
            self.chain = chain
        }
    }

    /// What becomes of a connection after an answer.
    package enum Ending: Sendable {
        case stays
        /// It ends with a close_notify (RFC 8446 section 6.1).
        case closes
        /// It ends without one, as somebody on the way could make it end.
        case isCut
    }

    /// What it saw.
    package struct Journal: Sendable {
        /// TLS handshakes that ended well.
        package var handshakes = 0
        /// Of those, the ones that took up an earlier session.
        package var resumed = 0
        /// Decrypted bytes, in all.
        package var bytes = 0
        /// `connection path` for each request, connections counted from 1.
        package var requests: [String] = []
        /// `connection subject` for each client certificate that it was shown.
        package var clients: [String] = []
        /// Connections on which it sends no more.
        package var closed = 0
    }

    package static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    package static func redirect(to url: String) -> String {
        "HTTP/1.1 302 Found\r\nLocation: \(url)\r\nContent-Length: 0\r\n\r\n"
    }

    private let connections: AcceptingSocket
    private let context: OpaquePointer
    private let settings: Settings
    private var seen = Journal()
    package var port: UInt16 { connections.port }
    private var condition: NSCondition { connections.condition }

    /// Listens and serves until `stop`.
    ///
    /// - Throws: `TLSPeerError` when there is no socket, or OpenSSL refuses the settings.
    package init(_ settings: Settings) throws {
        context = try Self.context(settings)
        connections = try AcceptingSocket()
        self.settings = settings
        connections.start { [self] socket, number in
            serve(socket, number)
            condition.withLock {
                seen.closed += 1
                condition.broadcast()
            }
        }
    }

    deinit {
        SSL_CTX_free(context)
    }

    package func url(_ host: String, _ path: String = "/") throws -> URL {
        guard let url = URL(string: "https://\(host):\(port)\(path)") else {
            throw TLSPeerError("no URL for \(host)")
        }
        return url
    }

    /// What it saw so far.
    package var journal: Journal { condition.withLock { seen } }

    /// Waits until it has answered a request, or a connection was closed; false when neither came.
    package func waitForAnEnd() -> Bool {
        let deadline = Date(timeIntervalSinceNow: 20)
        return condition.withLock {
            while seen.requests.isEmpty, seen.closed == 0 {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }

    /// Closes everything and waits until its threads have ended, so that the journal is complete.
    package func stop() -> Journal {
        connections.stop()
        return journal
    }

    // MARK: Setting up

    static func context(_ settings: Settings) throws -> OpaquePointer {
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            throw TLSPeerError("SSL_CTX_new")
        }
        SSL_CTX_set_cipher_list(context, settings.ciphers)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, settings.lowest, nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, settings.highest, nil)
        var isGood = true
        try use(settings.identity.certificate) {
            isGood = SSL_CTX_use_certificate(context, $0) == 1
        }
        for certificate in settings.chain {
            try use(certificate) {
                isGood =
                    isGood
                    && SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer($0))
                        == 1
            }
        }
        guard isGood, SSL_CTX_use_PrivateKey(context, settings.identity.key) == 1 else {
            SSL_CTX_free(context)
            throw TLSPeerError("certificate or key refused")
        }
        return context
    }

    private static func use(_ certificate: Certificate, _ body: (OpaquePointer) -> Void) throws {
        let parsed = certificate.der.withUnsafeBytes { bytes in
            var next = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_X509(nil, &next, bytes.count)
        }
        guard let parsed else { throw TLSPeerError("d2i_X509") }
        body(parsed)
        X509_free(parsed)
    }

    // MARK: Serving

    private func serve(_ socket: Int32, _ number: Int) {
        if let greeting = settings.greeting {
            _ = send(socket, Array(greeting.utf8), greeting.utf8.count, Int32(MSG_NOSIGNAL))
            return
        }
        guard let session = SSL_new(context) else { return }
        defer { SSL_free(session) }
        SSL_set_fd(session, socket)
        prepare(session, number)
        guard SSL_accept(session) == 1 else { return }
        let wasResumed = SSL_session_reused(session) == 1
        condition.withLock {
            seen.handshakes += 1
            seen.resumed += wasResumed ? 1 : 0
        }
        noteClient(of: session, number)
        var head = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = SSL_read(session, &buffer, 4_096), count > 0 {
            condition.withLock { seen.bytes += Int(count) }
            head += String(decoding: buffer.prefix(Int(count)), as: UTF8.self)
            guard head.hasSuffix("\r\n\r\n") else { continue }
            let line = String(head.prefix { !$0.isNewline })
            head = ""
            noteClient(of: session, number)
            let path = line.split(separator: " ").dropFirst().first ?? ""
            condition.withLock {
                seen.requests.append("\(number) \(path)")
                condition.broadcast()
            }
            let records = settings.records?(number, line) ?? [settings.answer(line)]
            if records.isEmpty { return }
            if let later = settings.asksForCertificateAt, path == later {
                SSL_set_verify(session, SSL_VERIFY_PEER) { _, _ in 1 }
                // A ticket behind it would be bytes that nobody asked for.
                SSL_set_num_tickets(session, 0)
                guard SSL_verify_client_post_handshake(session) == 1,
                    SSL_do_handshake(session) == 1
                else { return }
            }
            if settings.isCorked || settings.ending != .stays { Self.cork(socket, true) }
            for record in records.map({ Array($0.utf8) }) {
                guard SSL_write(session, record, Int32(record.count)) > 0 else { return }
            }
            if settings.isCorked, settings.ending == .stays { Self.cork(socket, false) }
            if settings.ending == .closes { SSL_shutdown(session) }
            if settings.ending != .stays { return }
        }
    }

    /// Has the system keep what is written until it is told otherwise, or that nothing follows: what ends a
    /// connection comes with its last answer, before the client can send it another request.
    static func cork(_ socket: Int32, _ isCorked: Bool) {
        var flag: Int32 = isCorked ? 1 : 0
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &flag, socklen_t(MemoryLayout<Int32>.size))
    }

    private func prepare(_ session: OpaquePointer, _ number: Int) {
        if let other = settings.identityOf(number) {
            try? Self.use(other.certificate) { SSL_use_certificate(session, $0) }
            SSL_use_PrivateKey(session, other.key)
        }
        if settings.asksForCertificate {
            SSL_set_verify(session, SSL_VERIFY_PEER) { _, _ in 1 }
        }
    }

    /// Notes what the client has shown, once for a connection.
    private func noteClient(of session: OpaquePointer, _ number: Int) {
        guard let name = Self.client(of: session) else { return }
        condition.withLock {
            let note = "\(number) \(name)"
            if !seen.clients.contains(note) { seen.clients.append(note) }
        }
    }

    private static func client(of session: OpaquePointer) -> String? {
        guard let certificate = SSL_get0_peer_certificate(session) else { return nil }
        var text = [CChar](repeating: 0, count: 256)
        X509_NAME_oneline(X509_get_subject_name(certificate), &text, 256)
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
