import Foundation

/// Why a request has no response.
public enum ConnectionError: Error, Equatable, Sendable {
    case cancelled
    /// The server closed before the whole body was there.
    case cutShort
    /// The head is no HTTP, or its length is no number.
    case badResponse
    /// What the system said, as `errno` has it.
    case system(Int32)
}

/// One GET over one socket that never makes its thread wait.
///
/// Its owner calls `advance` whenever the socket is ready, always on one thread.
final class Connection {
    enum Event: Sendable {
        case received(Data)
        case ended(ConnectionError?)
    }

    let descriptor: Int32
    private let tell: (Event) -> Void
    private var unsent: Data
    /// What came of the head; nil once it was whole.
    private var head: Data? = Data()
    /// Bytes of the body that are still to come; nil where only the server's close ends it.
    private var missing: Int?

    /// Begins to connect. The host is a number, because the look-up of a name would block.
    init(to url: URL, _ tell: @escaping (Event) -> Void) {
        self.tell = tell
        let path = url.path(percentEncoded: true)
        let host = url.host(percentEncoded: true) ?? "127.0.0.1"
        let lines = [
            "GET \(path.isEmpty ? "/" : path) HTTP/1.1", "Host: \(host)", "Connection: close", "",
            "",
        ]
        unsent = Data(lines.joined(separator: "\r\n").utf8)
        // NONBLOCK: each call below does what it can and returns.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(clamping: url.port ?? 80).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // "In progress", as a rule. The first `send` says how it ended.
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit {
        close(descriptor)
    }

    var wantsToSend: Bool { !unsent.isEmpty }

    /// Does what can be done now; returns whether the request is over.
    func advance() -> Bool {
        do throws(ConnectionError) {
            let isOver = try wantsToSend ? sendSome() : receiveSome()
            if isOver { tell(.ended(nil)) }
            return isOver
        } catch {
            tell(.ended(error))
            return true
        }
    }

    private func sendSome() throws(ConnectionError) -> Bool {
        let count = unsent.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if try hasMoved(count) { unsent = Data(unsent.dropFirst(count)) }
        return false
    }

    private func receiveSome() throws(ConnectionError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard try hasMoved(count) else { return false }
        if count == 0 {
            // A body that is cut is no success.
            guard head == nil, (missing ?? 0) == 0 else { throw .cutShort }
            return true
        }
        return try take(Data(buffer[..<count]))
    }

    /// Whether the call has moved bytes or found the end; false if it would have blocked.
    private func hasMoved(_ count: Int) throws(ConnectionError) -> Bool {
        if count >= 0 { return true }
        if errno == EAGAIN || errno == EINTR { return false }
        throw .system(errno)
    }

    private func take(_ bytes: Data) throws(ConnectionError) -> Bool {
        guard var head else { return takeBody(bytes) }
        head += bytes
        guard let end = head.range(of: Data("\r\n\r\n".utf8)) else {
            self.head = head
            // A peer may send for ever.
            if head.count > 65_536 { throw .badResponse }
            return false
        }
        self.head = nil
        let lines = String(decoding: head[..<end.lowerBound], as: UTF8.self).lowercased()
        guard lines.hasPrefix("http/1.1 ") else { throw .badResponse }
        for line in lines.split(separator: "\r\n") where line.hasPrefix("content-length:") {
            let number = line.dropFirst(15).trimmingCharacters(in: .whitespaces)
            guard let length = Int(number), length >= 0 else { throw .badResponse }
            missing = length
        }
        return takeBody(Data(head[end.upperBound...]))
    }

    private func takeBody(_ bytes: Data) -> Bool {
        let piece = missing.map { bytes.prefix($0) } ?? bytes
        if !piece.isEmpty { tell(.received(Data(piece))) }
        missing = missing.map { $0 - piece.count }
        return missing == 0
    }
}
