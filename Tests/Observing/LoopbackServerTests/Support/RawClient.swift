import Foundation
import LoopbackServer

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A blocking socket that speaks HTTP by hand, with TLS too; a read waits at most 20 seconds.
///
/// ## Concurrency
/// One client belongs to one thread.
final class RawClient {
    /// What ended a read.
    enum Ending: Equatable {
        case fin
        /// Over TLS, FIN without the notice of the end.
        case cut
        case reset
        case timeout
    }

    struct Response {
        let status: Int
        let head: String
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? {
            for line in head.components(separatedBy: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.first?.lowercased() == name.lowercased(), parts.count == 2 {
                    return parts[1].trimmingCharacters(in: .whitespaces)
                }
            }
            return nil
        }
    }

    struct Failure: Error {
        let reason: String
    }

    private var descriptor: Int32
    /// Nil over plain HTTP.
    private(set) var tls: ClientTLS?
    private var buffer = Data()
    private(set) var ending: Ending?

    init(port: UInt16, host: UInt32 = 0x7f00_0001, tls settings: ClientTLS.Settings? = nil) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size)
            }
        }
        guard result == 0 else { throw Failure(reason: "connect: errno \(errno)") }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
            socklen_t(MemoryLayout<timeval>.size))
        do {
            tls = try settings.map { try ClientTLS($0, descriptor) }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        leave()
    }

    /// Ends the sending side alone, over TLS with the notice of the end.
    func endSending() {
        tls?.sayGoodbye()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket.
    func leave() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    func send(_ text: String) {
        send(Data(text.utf8))
    }

    func send(_ data: Data) {
        var left = data[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes {
                tls?.write($0) ?? write(descriptor, $0.baseAddress, $0.count)
            }
            if count <= 0 { return }
            left = left.dropFirst(count)
        }
    }

    /// Sends a request without a body and reads its response.
    func get(_ path: String, _ headers: String..., method: String = "GET") throws -> Response {
        let lines = headers.map { $0 + "\r\n" }.joined()
        send("\(method) \(path) HTTP/1.1\r\nHost: t\r\n\(lines)\r\n")
        return try response(hasBody: method != "HEAD")
    }

    /// Reads one response; without length and chunks the body goes to the end.
    func response(hasBody: Bool = true) throws -> Response {
        let head = try headText()
        let parts = head.split(separator: " ")
        guard parts.count > 1, let status = Int(parts[1]) else {
            throw Failure(reason: "no status in \(head)")
        }
        let plain = Response(status: status, head: head, body: Data())
        if !hasBody || status < 200 || status == 204 || status == 304 { return plain }
        if plain.header("Transfer-Encoding") == "chunked" {
            return Response(status: status, head: head, body: try chunks())
        }
        guard let length = plain.header("Content-Length").flatMap({ Int($0) }) else {
            return Response(status: status, head: head, body: toEnd())
        }
        return Response(status: status, head: head, body: try exactly(length))
    }

    func headText() throws -> String {
        let blank = Data("\r\n\r\n".utf8)
        while true {
            if let end = buffer.range(of: blank) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer = Data(buffer[end.upperBound...])
                return head
            }
            guard more() else { throw Failure(reason: "ended in the head: \(ending as Any)") }
        }
    }

    func exactly(_ count: Int) throws -> Data {
        while buffer.count < count {
            guard more() else { throw Failure(reason: "ended in the body: \(ending as Any)") }
        }
        defer { buffer = Data(buffer.dropFirst(count)) }
        return Data(buffer.prefix(count))
    }

    /// Everything up to the end of the connection.
    func toEnd() -> Data {
        while more() {}
        defer { buffer = Data() }
        return buffer
    }

    private func line() throws -> String {
        while true {
            if let end = buffer.range(of: Data("\r\n".utf8)) {
                let line = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer = Data(buffer[end.upperBound...])
                return line
            }
            guard more() else { throw Failure(reason: "ended in a line: \(ending as Any)") }
        }
    }

    private(set) var trailers: [String] = []

    private func chunks() throws -> Data {
        var body = Data()
        while true {
            let size = try line()
            guard let count = Int(size, radix: 16) else {
                throw Failure(reason: "chunk size \(size)")
            }
            if count == 0 { break }
            body += try exactly(count)
            guard try line().isEmpty else { throw Failure(reason: "no end of chunk") }
        }
        while case let trailer = try line(), !trailer.isEmpty { trailers.append(trailer) }
        return body
    }

    private func more() -> Bool {
        guard ending == nil else { return false }
        var room = [UInt8](repeating: 0, count: 65_536)
        let count = room.withUnsafeMutableBytes {
            tls?.read($0) ?? recv(descriptor, $0.baseAddress, $0.count, 0)
        }
        if count > 0 {
            buffer.append(contentsOf: room[..<count])
            return true
        }
        if let tls {
            ending = tls.ending
        } else if count == 0 {
            ending = .fin
        } else {
            ending = errno == EAGAIN || errno == EWOULDBLOCK ? .timeout : .reset
        }
        return false
    }
}

/// Starts a server, runs the body, and stops the server.
func withServer(
    _ routes: Routes = .standard, address: String = "127.0.0.1", tls: TLSSettings? = nil,
    _ body: (LoopbackServer) throws -> Void
) throws {
    let server = LoopbackServer(routes: routes, address: address, tls: tls)
    try server.start()
    defer { server.stop() }
    try body(server)
}
