import Foundation
public import FoundationNetworking

/// Credentials by protection space: what NSURLCredentialStorage is on Apple's systems.
///
/// Spaces are compared by value: role, scheme, host without case, port, realm and method. The
/// storage is in memory only and ends with the process, so `.permanent` and `.synchronizable` mean
/// `.forSession` here. A credential with the persistence `.none` is never kept.
///
/// A caller's credential stays until the caller removes it. A connection stores a credential that
/// worked. The number of those is limited, because a server may invent a realm for each request:
/// the storage keeps the 16 spaces of a server used last, for at least the 128 servers used last,
/// with realms of up to 1,024 bytes.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table.
public final class CredentialStorage: @unchecked Sendable {
    // @unchecked because the table is only touched under the lock.

    private struct Entry {
        let space: URLProtectionSpace
        var credentials: [String: URLCredential] = [:]
        var defaultUser: String?
    }

    /// The storage that connections use.
    public static let shared = CredentialStorage()

    // MARK: Guarded by lock

    private let lock = NSLock()
    /// The caller's credentials.
    private var entries: [ProtectionSpaceKey: Entry] = [:]
    /// The connections' credentials, none in a space where the caller has one.
    private var learned = LearnedCredentials()

    /// Makes an empty storage.
    public init() {}

    /// Stores a credential, in place of one with the same user.
    ///
    /// It becomes the default of its space when the space has none.
    public func set(_ credential: URLCredential, for space: URLProtectionSpace) {
        keep(credential, for: space, isDefault: false)
    }

    /// Stores a credential and makes it the one that is tried before anybody is asked.
    public func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
        keep(credential, for: space, isDefault: true)
    }

    /// Stores a credential that worked, as the default of its space.
    package func remember(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard credential.persistence != .none, let user = credential.user else { return }
        let key = ProtectionSpaceKey(space)
        release {
            if entries[key] != nil { return put(credential, of: user, in: key, isDefault: true) }
            let new = LearnedCredentials.Learned(key: key, space: space, credential: credential)
            return learned.remember(new).map(\.credential)
        }
    }

    /// The credential that is tried before anybody is asked.
    public func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        let key = ProtectionSpaceKey(space)
        var found: URLCredential?
        release {
            if let entry = entries[key] {
                found = entry.defaultUser.flatMap { entry.credentials[$0] }
                return []
            }
            let (credential, gone) = learned.use(key)
            found = credential
            return gone.map(\.credential)
        }
        return found
    }

    /// The credentials of a space by user; nil when there is none.
    public func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
        let key = ProtectionSpaceKey(space)
        return lock.withLock {
            entries[key]?.credentials ?? learned.find(key).map { [$0.user ?? "": $0] }
        }
    }

    /// All credentials. They are pairs, since Foundation's spaces cannot be keys on Linux.
    public var allCredentials: [(space: URLProtectionSpace, credentials: [String: URLCredential])] {
        lock.withLock {
            entries.values.map { ($0.space, $0.credentials) }
                + learned.all.map { ($0.space, [$0.credential.user ?? "": $0.credential]) }
        }
    }

    /// Removes a credential; one with the same user and another password stays.
    public func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard let user = credential.user else { return }
        let key = ProtectionSpaceKey(space)
        release {
            if let kept = learned.find(key) {
                guard kept.user == user, kept.password == credential.password else { return [] }
                return learned.remove(key).map { [$0.credential] } ?? []
            }
            guard let kept = entries[key]?.credentials[user], kept.password == credential.password
            else { return [] }
            entries[key]?.credentials[user] = nil
            if entries[key]?.credentials.isEmpty == true {
                entries[key] = nil
            } else if entries[key]?.defaultUser == user {
                entries[key]?.defaultUser = nil
            }
            return [kept]
        }
    }

    /// Removes all credentials.
    public func removeAll() {
        release {
            let gone = entries.values.flatMap(\.credentials.values)
            entries = [:]
            return gone + learned.removeAll().map(\.credential)
        }
    }

    private func keep(
        _ credential: URLCredential, for space: URLProtectionSpace, isDefault: Bool
    ) {
        guard credential.persistence != .none, let user = credential.user else { return }
        let key = ProtectionSpaceKey(space)
        release {
            if entries[key] == nil {
                entries[key] = Entry(space: space)
                // From now on the whole space is the caller's.
                if let known = learned.remove(key)?.credential, let user = known.user {
                    entries[key]?.credentials[user] = known
                    entries[key]?.defaultUser = user
                }
            }
            return put(credential, of: user, in: key, isDefault: isDefault)
        }
    }

    /// Call under the lock, for a space that is the caller's.
    private func put(
        _ credential: URLCredential, of user: String, in key: ProtectionSpaceKey, isDefault: Bool
    ) -> [URLCredential] {
        let replaced = entries[key]?.credentials.updateValue(credential, forKey: user)
        if isDefault || entries[key]?.defaultUser == nil {
            entries[key]?.defaultUser = user
        }
        return replaced.map { [$0] } ?? []
    }

    /// Runs a change and releases the credentials it removed after the lock is left, because a
    /// caller's subclass may call the storage in its `deinit`.
    private func release(_ change: () -> [URLCredential]) {
        let gone = lock.withLock(change)
        withExtendedLifetime(gone) {}
    }
}

extension CredentialStorage: CustomReflectable {
    /// How many spaces have credentials, without the credentials.
    public var customMirror: Mirror {
        let count = lock.withLock { entries.count }
        return Mirror(self, children: ["spaces": count], displayStyle: .class)
    }
}
