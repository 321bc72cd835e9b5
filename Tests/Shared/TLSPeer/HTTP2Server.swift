import COpenSSL
import Foundation

/// As much of an HTTP/2 server on 127.0.0.1 as a test needs: it answers each request with the frames
/// that the test gives, one thread a connection.
///
/// ## Concurrency
/// Call from: any thread. Lock: that of its connections.
package final class HTTP2Server: @unchecked Sendable {
    // @unchecked because all of it is constant or guards itself.
    private let connections: AcceptingSocket
    private let context: OpaquePointer
    private let answer: @Sendable (Int, UInt32) -> Answer
    private let ending: TLSServer.Ending
    package var port: UInt16 { connections.port }

    /// What answers a request.
    package struct Answer: Sendable {
        /// The frames; each element goes out in a record of its own.
        package var records: [[UInt8]]
        /// A record that follows again and again, for twenty seconds or until the client is gone.
        package var endless: [UInt8] = []

        /// Gives a last record, and may wait before.
        package var last: (@Sendable () -> [UInt8])?

        package init(
            _ records: [[UInt8]], endless: [UInt8] = [], last: (@Sendable () -> [UInt8])? = nil
        ) {
            (self.records, self.endless, self.last) = (records, endless, last)
        }
    }

    /// - Parameter answer: the frames that answer a request, by the connection's number, counted from
    ///   1, and the stream's; they go out in one record. After it the
    ///   connection ends as the settings say.
    /// - Throws: `TLSPeerError` when there is no socket, or OpenSSL refuses the settings.
    package convenience init(
        _ settings: TLSServer.Settings, answer: @escaping @Sendable (Int, UInt32) -> [UInt8]
    ) throws {
        try self.init(settings, answers: { Answer([answer($0, $1)]) })
    }

    /// The same with several records.
    package init(
        _ settings: TLSServer.Settings, answers answer: @escaping @Sendable (Int, UInt32) -> Answer
    ) throws {
        context = try TLSServer.context(settings)
        connections = try AcceptingSocket()
        self.answer = answer
        ending = settings.ending
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, name, count, _, _, _ in
                name?.pointee = UnsafePointer(HTTP2Server.name)
                count?.pointee = 2
                return SSL_TLSEXT_ERR_OK
            }, nil)
        connections.start { [self] in serve($0, $1) }
    }

    deinit {
        SSL_CTX_free(context)
    }

    private nonisolated(unsafe) static let name: UnsafeMutablePointer<UInt8> = {
        let name = UnsafeMutablePointer<UInt8>.allocate(capacity: 2)
        name[0] = UInt8(ascii: "h")
        name[1] = UInt8(ascii: "2")
        return name
    }()

    /// Closes everything, waits until its threads have ended, and returns how many connections came.
    @discardableResult
    package func stop() -> Int { connections.stop() }

    // MARK: Frames (RFC 9113 section 4)

    package static func frame(
        type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8] = []
    ) -> [UInt8] {
        let count = payload.count
        let bytes = [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
        let number = (0..<4).map { UInt8(stream >> (24 - 8 * $0) & 255) }
        return bytes + [type, flags] + number + payload
    }

    /// A 200 with a body, and the fields `set-cookie` and `cache-control` where they are given.
    package static func reply(
        _ stream: UInt32, _ text: String, cookie: String = "", control: String = ""
    ) -> [UInt8] {
        var fields: [UInt8] = [0x88]
        // Literals with the static table's names 55 and 24 (RFC 7541 section 6.2.2).
        for (index, value) in [(UInt8(55), cookie), (24, control)] where !value.isEmpty {
            fields += [0x0F, index - 15, UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return frame(type: 1, flags: 4, stream: stream, fields)
            + frame(type: 0, flags: 1, stream: stream, Array(text.utf8))
    }

    // MARK: Serving

    private func serve(_ socket: Int32, _ number: Int) {
        guard let session = SSL_new(context) else { return }
        defer { SSL_free(session) }
        SSL_set_fd(session, socket)
        guard SSL_accept(session) == 1, send(Self.frame(type: 4, stream: 0), session) else {
            return
        }
        var input: [UInt8] = []
        // The client's preface comes before its frames.
        var isPrefaced = false
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = SSL_read(session, &buffer, 16_384), count > 0 {
            input += buffer.prefix(Int(count))
            if !isPrefaced, input.count >= 24 {
                input.removeFirst(24)
                isPrefaced = true
            }
            while isPrefaced, input.count >= 9 {
                let size = Int(input[0]) << 16 | Int(input[1]) << 8 | Int(input[2])
                guard input.count >= 9 + size else { break }
                let (type, flags) = (input[3], input[4])
                let stream = input[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                input.removeFirst(9 + size)
                if type == 4, flags & 1 == 0 {
                    guard send(Self.frame(type: 4, flags: 1, stream: 0), session) else { return }
                } else if type == 1 {
                    guard send(answer(number, stream), session) else { return }
                    if ending == .closes { SSL_shutdown(session) }
                    if ending != .stays { return }
                }
            }
        }
    }

    /// The records come at once, with the end of a connection that ends: before the client has seen all, it sends no
    /// other request.
    private func send(_ answer: Answer, _ session: OpaquePointer) -> Bool {
        let socket = SSL_get_fd(session)
        TLSServer.cork(socket, true)
        for record in answer.records where !record.isEmpty {
            guard send(record, session) else { return false }
        }
        if ending == .stays { TLSServer.cork(socket, false) }
        let deadline = Date(timeIntervalSinceNow: 20)
        while !answer.endless.isEmpty, Date() < deadline {
            guard send(answer.endless, session) else { return false }
        }
        if let last = answer.last { return send(last(), session) }
        return true
    }

    private func send(_ bytes: [UInt8], _ session: OpaquePointer) -> Bool {
        SSL_write(session, bytes, Int32(bytes.count)) > 0
    }
}
