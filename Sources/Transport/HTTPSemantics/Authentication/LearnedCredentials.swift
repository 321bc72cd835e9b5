import FoundationNetworking

/// Accepted credentials, by the space that the server named. A server may invent spaces, so only
/// the most recently used are kept; a dropped credential is asked for again.
///
/// Servers are in two generations. When the young generation is full, the old one is dropped; using
/// a server of the old generation moves it to the young one. So no growing list is ever searched or
/// sorted.
struct LearnedCredentials {
    /// The servers of one generation, and the spaces of one server.
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
    private var young: [Server: [Learned]] = [:]
    private var old: [Server: [Learned]] = [:]

    var all: [Learned] { young.values.flatMap { $0 } + old.values.flatMap { $0 } }

    /// The credential of a space; using it makes its server young.
    mutating func use(_ key: ProtectionSpaceKey) -> (URLCredential?, gone: [Learned]) {
        guard let learned = remove(key) else { return (nil, []) }
        return (learned.credential, insert(learned))
    }

    func find(_ key: ProtectionSpaceKey) -> URLCredential? {
        let server = Server(key)
        let isIt = { (learned: Learned) in learned.key == key }
        return (young[server]?.first(where: isIt) ?? old[server]?.first(where: isIt))?.credential
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
        return Self.remove(key, of: server, from: &young)
            ?? Self.remove(key, of: server, from: &old)
    }

    mutating func removeAll() -> [Learned] {
        let gone = all
        self = LearnedCredentials()
        return gone
    }

    private static func remove(
        _ key: ProtectionSpaceKey, of server: Server, from servers: inout [Server: [Learned]]
    ) -> Learned? {
        guard let place = servers[server]?.firstIndex(where: { $0.key == key }) else { return nil }
        let learned = servers[server]?.remove(at: place)
        if servers[server]?.isEmpty == true { servers[server] = nil }
        return learned
    }

    private mutating func insert(_ learned: Learned) -> [Learned] {
        let server = Server(learned.key)
        var gone: [Learned] = []
        if young[server] == nil, young.count >= Self.serverLimit {
            gone = old.values.flatMap { $0 }
            (old, young) = (young, [:])
        }
        young[server, default: []].append(learned)
        if let count = young[server]?.count, count > Self.spaceLimit,
            let oldest = young[server]?.removeFirst()
        {
            gone.append(oldest)
        }
        return gone
    }
}
