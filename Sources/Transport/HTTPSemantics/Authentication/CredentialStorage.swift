import Foundation
public import FoundationNetworking
import Locking

/// Stores credentials by protection space, as NSURLCredentialStorage does on Apple's systems.
///
/// Spaces are compared by value: role, scheme, host without case, port, realm and method. The
/// storage is in memory and ends with the process, so `.permanent` and `.synchronizable` mean
/// `.forSession` here. A credential with the persistence `.none` is never stored.
///
/// A caller's credential stays until the caller removes it. A connection stores a credential that
/// the server accepted; their number is limited, because a server may invent a realm for each
/// request. The 128 most recently used servers are kept, each with its 16 most recently used spaces,
/// and realms of up to 1,024 bytes.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table.
public final class CredentialStorage: Sendable {
    private struct Entry {
        let space: URLProtectionSpace
        var credentials: [String: URLCredential] = [:]
        var defaultUser: String?
    }

    private struct Table {
        /// The caller's credentials.
        var entries: [ProtectionSpaceKey: Entry] = [:]
        /// The connections' credentials, none in a space where the caller has one.
        var learned = LearnedCredentials()

        /// Stores a credential in a space of the caller's.
        ///
        /// - Returns: what it replaces.
        mutating func put(
            _ credential: URLCredential, of user: String, in key: ProtectionSpaceKey,
            isDefault: Bool
        ) -> [URLCredential] {
            let replaced = entries[key]?.credentials.updateValue(credential, forKey: user)
            if isDefault || entries[key]?.defaultUser == nil {
                entries[key]?.defaultUser = user
            }
            return replaced.map { [$0] } ?? []
        }
    }

    /// The storage that connections use.
    public static let shared = CredentialStorage()

    private let table = Locked(Table())

    /// Makes an empty storage.
    public init() {}

    /// Stores a credential, in place of one with the same user.
    ///
    /// It becomes the default of its space when the space has none.
    public func set(_ credential: URLCredential, for space: URLProtectionSpace) {
        keep(credential, for: space, isDefault: false)
    }

    /// Stores a credential and makes it the one that is sent before the delegate is asked.
    public func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
        keep(credential, for: space, isDefault: true)
    }

    /// Stores a credential that the server accepted, as the default of its space.
    package func remember(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.persistence != .none, let user = credential.user else { return }
        let key = ProtectionSpaceKey(space)
        release { table in
            if table.entries[key] != nil {
                return table.put(credential, of: user, in: key, isDefault: true)
            }
            let new = LearnedCredentials.Learned(key: key, space: space, credential: credential)
            return table.learned.remember(new).map(\.credential)
        }
    }

    /// The credential that is sent before the delegate is asked.
    public func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        let key = ProtectionSpaceKey(space)
        var found: URLCredential?
        release { table in
            if let entry = table.entries[key] {
                found = entry.defaultUser.flatMap { entry.credentials[$0] }
                return []
            }
            found = table.learned.use(key)
            return []
        }
        return found
    }

    /// The credentials of a space by user; nil when there is none.
    public func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
        let key = ProtectionSpaceKey(space)
        return table.withLock {
            $0.entries[key]?.credentials ?? $0.learned.find(key).map { [$0.user ?? "": $0] }
        }
    }

    /// All credentials: pairs, because Foundation's spaces cannot be dictionary keys on Linux.
    public var allCredentials: [(space: URLProtectionSpace, credentials: [String: URLCredential])] {
        table.withLock {
            $0.entries.values.map { ($0.space, $0.credentials) }
                + $0.learned.all.map { ($0.space, [$0.credential.user ?? "": $0.credential]) }
        }
    }

    /// Removes a credential; one with the same user and another password stays.
    public func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard let user = credential.user else { return }
        let key = ProtectionSpaceKey(space)
        release { table in
            if let kept = table.learned.find(key) {
                guard kept.hasPassword(of: credential) else { return [] }
                return table.learned.remove(key).map { [$0.credential] } ?? []
            }
            guard let kept = table.entries[key]?.credentials[user],
                kept.password == credential.password
            else { return [] }
            table.entries[key]?.credentials[user] = nil
            if table.entries[key]?.credentials.isEmpty == true {
                table.entries[key] = nil
            } else if table.entries[key]?.defaultUser == user {
                table.entries[key]?.defaultUser = nil
            }
            return [kept]
        }
    }

    /// Removes all credentials.
    public func removeAll() {
        release { table in
            let gone = table.entries.values.flatMap(\.credentials.values)
            table.entries = [:]
            return gone + table.learned.removeAll().map(\.credential)
        }
    }

    private func keep(
        _ credential: URLCredential, for space: URLProtectionSpace, isDefault: Bool
    ) {
        guard credential.persistence != .none, let user = credential.user else { return }
        let key = ProtectionSpaceKey(space)
        release { table in
            if table.entries[key] == nil {
                table.entries[key] = Entry(space: space)
                // The whole space becomes the caller's.
                if let known = table.learned.remove(key)?.credential, let user = known.user {
                    table.entries[key]?.credentials[user] = known
                    table.entries[key]?.defaultUser = user
                }
            }
            return table.put(credential, of: user, in: key, isDefault: isDefault)
        }
    }

    /// Releases the removed credentials after unlocking, because the `deinit` of a caller's
    /// subclass may call the storage.
    private func release(_ change: (inout Table) -> [URLCredential]) {
        let gone = table.withLock(change)
        withExtendedLifetime(gone) {}
    }
}

extension CredentialStorage: CustomReflectable {
    /// How many spaces have credentials of the caller's, without the credentials.
    public var customMirror: Mirror {
        let count = table.withLock { $0.entries.count }
        return Mirror(self, children: ["spaces": count], displayStyle: .class)
    }
}

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

    /// For each server, the space used last is at the end.
    private var servers = RecentTable<AuthenticationTarget, [Learned]>()

    var all: [Learned] { servers.keys.flatMap { servers[$0] ?? [] } }

    func find(_ key: ProtectionSpaceKey) -> URLCredential? {
        servers[key.target]?.first { $0.key == key }?.credential
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
        guard var spaces = servers[key.target],
            let index = spaces.firstIndex(where: { $0.key == key })
        else { return nil }
        let learned = spaces.remove(at: index)
        servers[key.target] = spaces.isEmpty ? nil : spaces
        return learned
    }

    mutating func removeAll() -> [Learned] {
        let gone = all
        self = LearnedCredentials()
        return gone
    }

    private mutating func insert(_ learned: Learned) -> [Learned] {
        var spaces = servers[learned.key.target] ?? []
        var gone = Array(spaces.prefix(max(0, spaces.count + 1 - Self.spaceLimit)))
        spaces.removeFirst(gone.count)
        servers.set(spaces + [learned], for: learned.key.target)
        if servers.count > Self.serverLimit, let oldest = servers.first {
            gone += servers.remove(oldest) ?? []
        }
        return gone
    }
}
