import FoundationNetworking

/// Accepted credentials, by the space that the server named. A server may invent spaces, so only
/// the most recently used are kept; the delegate is asked again for a dropped one.
struct LearnedCredentials {
    /// The most servers, and the most spaces of one server.
    static let (serverLimit, spaceLimit) = (128, 16)
    static let realmLimit = 1_024

    struct Learned {
        let key: ProtectionSpaceKey
        let space: URLProtectionSpace
        var credential: URLCredential
    }

    /// The server or proxy that asks, in whatever space.
    private struct Server: Hashable {
        let isProxy: Bool
        let type: String?
        let host: String
        let port: Int

        init(_ key: ProtectionSpaceKey) {
            (isProxy, type, host, port) = (key.isProxy, key.type, key.host, key.port)
        }
    }

    /// For each server, the space used last is at the end.
    private var servers = RecentTable<Server, [Learned]>()

    var all: [Learned] { servers.keys.flatMap { servers[$0] ?? [] } }

    func find(_ key: ProtectionSpaceKey) -> URLCredential? {
        servers[Server(key)]?.first { $0.key == key }?.credential
    }

    /// The credential of a space, which becomes the one used last.
    mutating func use(_ key: ProtectionSpaceKey) -> URLCredential? {
        guard let learned = remove(key) else { return nil }
        _ = insert(learned)
        return learned.credential
    }

    /// - Returns: the credentials replaced or dropped, which the caller releases outside its lock.
    mutating func remember(_ learned: Learned) -> [Learned] {
        let replaced = remove(learned.key).map { [$0] } ?? []
        guard learned.key.realm.map({ $0.utf8.count <= Self.realmLimit }) ?? true else {
            return replaced
        }
        return replaced + insert(learned)
    }

    mutating func remove(_ key: ProtectionSpaceKey) -> Learned? {
        let server = Server(key)
        guard var spaces = servers[server], let index = spaces.firstIndex(where: { $0.key == key })
        else { return nil }
        let learned = spaces.remove(at: index)
        servers[server] = spaces.isEmpty ? nil : spaces
        return learned
    }

    mutating func removeAll() -> [Learned] {
        let gone = all
        self = LearnedCredentials()
        return gone
    }

    private mutating func insert(_ learned: Learned) -> [Learned] {
        let server = Server(learned.key)
        var spaces = servers[server] ?? []
        var gone = Array(spaces.prefix(max(0, spaces.count + 1 - Self.spaceLimit)))
        spaces.removeFirst(gone.count)
        servers.set(spaces + [learned], for: server)
        if servers.count > Self.serverLimit, let oldest = servers.first {
            gone += servers.remove(oldest) ?? []
        }
        return gone
    }
}
