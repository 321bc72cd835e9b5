import Foundation

/// An HTTP proxy on 127.0.0.1 for tests: forwards http, tunnels by CONNECT, takes every host name
/// for 127.0.0.1, and notes each head it was sent.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the journal.
package final class HTTPProxy: Sendable {
    /// What it demands and what it does wrong.
    package struct Settings: Sendable {
        /// `user:password`; nil demands none.
        package var login: String?
        /// What `Proxy-Authenticate` says. Where it is of Digest, any answer of that scheme is good.
        package var challenge = #"Basic realm="proxy""#
        /// In place of an answer to CONNECT.
        package var fault: Fault?

        package init(login: String? = nil, fault: Fault? = nil) {
            self.login = login
            self.fault = fault
        }
    }

    /// What a CONNECT meets.
    package enum Fault: Sendable {
        case refuse(status: Int)
        case close
        case garbage
        case silence
        /// Head lines without end.
        case endlessHead
    }

    package var port: UInt16 { listener.port }
    /// Connections accepted so far.
    package var connections: Int { listener.count }
    /// The heads of all requests, in their order.
    package var heads: [String] { journal.all }

    private let listener: Listener
    private let journal = Journal<String>()

    /// - Throws: `ProxyPeerError` when there is no socket.
    package init(_ settings: Settings = Settings()) throws {
        listener = try Listener { [journal] client in
            while let head = client.upTo(Array("\r\n\r\n".utf8)) {
                let request = HTTPHead(head)
                journal.add(request.text)
                guard Self.serve(request, client, settings) else { return }
            }
        }
    }

    /// Closes everything and returns the heads it was sent.
    @discardableResult
    package func stop() -> [String] {
        listener.stop()
        return heads
    }

    /// - Returns: whether the connection is good for another request.
    private static func serve(_ request: HTTPHead, _ client: Channel, _ settings: Settings) -> Bool
    {
        if let login = settings.login, !isOpened(by: request, login, settings) {
            // The body is not read, so the connection cannot be used again, and a peer that
            // does not say so may be sent a second POST just as it closes.
            let leavesBody = request.bodyLength > 0
            let isSent = client.send(
                "HTTP/1.1 407 Proxy Authentication Required\r\n"
                    + "Proxy-Authenticate: \(settings.challenge)\r\n"
                    + (leavesBody ? "Connection: close\r\n" : "")
                    + "Content-Length: 5\r\n\r\nlogin")
            guard isSent, leavesBody else { return isSent }
            client.endSending()
            return false
        }
        if request.method == "CONNECT" {
            if let fault = settings.fault {
                commit(fault, client)
            } else if let server = Channel(port: request.port(scheme: "https")) {
                client.send("HTTP/1.1 200 Connection established\r\n\r\n")
                client.relay(to: server)
            } else {
                client.send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            }
            return false
        }
        return forward(request, client)
    }

    private static func isOpened(
        by request: HTTPHead, _ login: String, _ settings: Settings
    ) -> Bool {
        let answer = request.value(of: "Proxy-Authorization")
        guard settings.challenge.hasPrefix("Digest ") else {
            return answer == "Basic " + Data(login.utf8).base64EncodedString()
        }
        return answer?.hasPrefix("Digest username=\"\(login.prefix { $0 != ":" })\"") == true
    }

    private static func commit(_ fault: Fault, _ client: Channel) {
        switch fault {
        case .refuse(let status):
            client.send("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno")
        case .close: break
        case .garbage: client.send("\u{1}\u{2}what?\r\n\r\n")
        case .silence: _ = client.some()
        case .endlessHead:
            client.send("HTTP/1.1 200 OK\r\n")
            let lines = Array(String(repeating: "X-Line: 0123456789\r\n", count: 1_000).utf8)
            while client.send(lines) {}
        }
    }

    /// One exchange with the server on a connection of its own, which ends with the answer.
    private static func forward(_ request: HTTPHead, _ client: Channel) -> Bool {
        guard let server = Channel(port: request.port(scheme: "http")) else {
            return client.send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        }
        server.send(request.forwarded)
        guard passBody(of: request, client, server),
            let bytes = server.upTo(Array("\r\n\r\n".utf8))
        else { return false }
        let answer = HTTPHead(bytes)
        client.send(answer.without(["connection"]))
        while let bytes = server.some() {
            guard client.send(bytes) else { return false }
        }
        return answer.value(of: "Content-Length") != nil || answer.isChunked
            || request.method == "HEAD" || ["204", "304"].contains(answer.status)
    }

    private static func passBody(
        of request: HTTPHead, _ client: Channel, _ server: Channel
    ) -> Bool {
        if request.isChunked {
            while let line = client.upTo([13, 10]) {
                let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) ?? 0
                guard server.send(line), let chunk = client.exactly(size + 2), server.send(chunk)
                else { return false }
                if size == 0 { return true }
            }
            return false
        }
        var left = request.bodyLength
        while left > 0 {
            guard let bytes = client.exactly(min(left, 16_384)), server.send(bytes) else {
                return false
            }
            left -= bytes.count
        }
        return true
    }
}
