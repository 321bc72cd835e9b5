import Foundation

/// A SOCKS 4, 4a and 5 proxy on 127.0.0.1 for tests: takes every host name and address for
/// 127.0.0.1, and notes what it was asked for.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the journal.
package final class SOCKSProxy: Sendable {
    /// What it demands and what it does wrong.
    package struct Settings: Sendable {
        /// User and password (SOCKS 5) or user alone (SOCKS 4); nil demands none.
        package var user: String?
        package var password: String?
        /// The reply in place of "granted": RFC 1928 section 6, or 91 to 93 of SOCKS 4.
        package var reply: UInt8?
        /// Closes the connection after the first bytes.
        package var closes = false

        package init(user: String? = nil, password: String? = nil, reply: UInt8? = nil) {
            self.user = user
            self.password = password
            self.reply = reply
        }
    }

    /// What one client asked for.
    package struct Request: Hashable, Sendable {
        package enum Form: Hashable, Sendable { case four, six, name }
        package var version = 0
        package var form = Form.four
        package var host = ""
        package var port: UInt16 = 0
        package var user: String?
        package var password: String?
    }

    package var port: UInt16 { listener.port }
    /// Connections accepted so far.
    package var connections: Int { listener.count }
    /// What was asked for, in order.
    package var requests: [Request] { journal.all }

    private let listener: Listener
    private let journal = Journal<Request>()

    /// - Throws: `ProxyPeerError` when there is no socket.
    package init(_ settings: Settings = Settings()) throws {
        listener = try Listener { [journal] client in
            switch client.exactly(1) {
            case _ where settings.closes: return
            case [4]: Self.serveFour(client, settings, journal)
            case [5]: Self.serveFive(client, settings, journal)
            default: return
            }
        }
    }

    /// Closes everything and returns what was asked for.
    @discardableResult
    package func stop() -> [Request] {
        listener.stop()
        return requests
    }

    private static func serveFour(
        _ client: Channel, _ settings: Settings, _ journal: Journal<Request>
    ) {
        guard let fixed = client.exactly(7), let user = client.upTo([0]) else { return }
        var request = Request(version: 4, port: UInt16(fixed[1]) << 8 | UInt16(fixed[2]))
        request.user = user.count > 1 ? text(user.dropLast()) : nil
        request.host = fixed[3...].map(String.init).joined(separator: ".")
        if fixed[3...5].allSatisfy({ $0 == 0 }), fixed[6] != 0 {
            guard let name = client.upTo([0]) else { return }
            request.form = .name
            request.host = text(name.dropLast())
        }
        journal.add(request)
        let isKnown = settings.user == nil || settings.user == request.user
        let reply = settings.reply ?? (isKnown ? 90 : 93)
        guard reply == 90, let server = Channel(port: request.port) else {
            client.send([0, reply == 90 ? 91 : reply, 0, 0, 0, 0, 0, 0])
            return
        }
        client.send([0, 90, 0, 0, 0, 0, 0, 0])
        client.relay(to: server)
    }

    private static func serveFive(
        _ client: Channel, _ settings: Settings, _ journal: Journal<Request>
    ) {
        var request = Request(version: 5)
        guard let count = client.exactly(1), let methods = client.exactly(Int(count[0])) else {
            return
        }
        let method: UInt8 = settings.user == nil ? 0 : 2
        guard methods.contains(method) else {
            client.send([5, 255])
            return
        }
        client.send([5, method])
        if method == 2 {
            guard let head = client.exactly(2), let user = client.exactly(Int(head[1])),
                let size = client.exactly(1), let password = client.exactly(Int(size[0]))
            else { return }
            request.user = text(user)
            request.password = text(password)
            let isKnown =
                request.user == settings.user && request.password == settings.password ?? ""
            client.send([1, isKnown ? 0 : 1])
            guard isKnown else { return journal.add(request) }
        }
        guard let fixed = client.exactly(4), readAddress(of: &request, fixed[3], client),
            let port = client.exactly(2)
        else { return }
        request.port = UInt16(port[0]) << 8 | UInt16(port[1])
        journal.add(request)
        let server = settings.reply == nil ? Channel(port: request.port) : nil
        let reply = settings.reply ?? (server == nil ? 5 : 0)
        client.send([5, reply, 0, 1, 0, 0, 0, 0, 0, 0])
        if let server { client.relay(to: server) }
    }

    private static func readAddress(
        of request: inout Request, _ form: UInt8, _ client: Channel
    ) -> Bool {
        switch form {
        case 1:
            guard let bytes = client.exactly(4) else { return false }
            request.host = bytes.map(String.init).joined(separator: ".")
        case 3:
            guard let size = client.exactly(1), let name = client.exactly(Int(size[0])) else {
                return false
            }
            request.form = .name
            request.host = text(name)
        default:
            guard let address = client.exactly(16) else { return false }
            request.form = .six
            request.host = Array(address) == [UInt8](repeating: 0, count: 15) + [1] ? "::1" : ""
        }
        return true
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
