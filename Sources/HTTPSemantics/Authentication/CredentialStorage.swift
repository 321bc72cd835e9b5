import Foundation
public import FoundationNetworking

/// Credentials by protection space: what NSURLCredentialStorage is on Apple's systems.
///
/// Spaces are compared by value: role, scheme, host without case, port, realm and method. It lives
/// in memory alone and ends with the process, so `.permanent` and `.synchronizable` mean
/// `.forSession` here. A credential with the persistence `.none` is never kept.
///
/// What the caller stores stays until the caller removes it. What a connection adds, because it worked,
/// is bounded, for a server may invent a realm for each request: the 16 spaces of a server that were used
/// last, of at least the last 128 servers, with realms of up to 1,024 bytes.
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

    /// The one that connections use.
    public static let shared = CredentialStorage()

    // MARK: Guarded by lock

    private let lock = NSLock()
    /// The caller's.
    private var entries: [ProtectionSpaceKey: Entry] = [:]
    /// The connections'; never of a space that the caller has.
    private var learned = LearnedCredentials()

    /// Makes an empty storage.
    public init() {}

    /// Keeps a credential, in place of one of the same user.
    ///
    /// It becomes the default of its space when the space has none.
    public func set(_ credential: URLCredential, for space: URLProtectionSpace) {
        keep(credential, for: space, isDefault: false)
    }

    /// Keeps a credential and makes it the one that is tried before anybody is asked.
    public func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
        keep(credential, for: space, isDefault: true)
    }

    /// Keeps a credential that worked, as the default of its space.
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

    /// Everything that is kept. Pairs, since Foundation's spaces are no use as keys on Linux.
    public var allCredentials: [(space: URLProtectionSpace, credentials: [String: URLCredential])] {
        lock.withLock {
            entries.values.map { ($0.space, $0.credentials) }
                + learned.all.map { ($0.space, [$0.credential.user ?? "": $0.credential]) }
        }
    }

    /// Forgets a credential; another of the same user, with another password, stays.
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

    /// Forgets everything.
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
                // From now on all of the space is the caller's.
                if let known = learned.remove(key)?.credential, let user = known.user {
                    entries[key]?.credentials[user] = known
                    entries[key]?.defaultUser = user
                }
            }
            return put(credential, of: user, in: key, isDefault: isDefault)
        }
    }

    /// The lock is held, and the space is the caller's.
    private func put(
        _ credential: URLCredential, of user: String, in key: ProtectionSpaceKey, isDefault: Bool
    ) -> [URLCredential] {
        let replaced = entries[key]?.credentials.updateValue(credential, forKey: user)
        if isDefault || entries[key]?.defaultUser == nil {
            entries[key]?.defaultUser = user
        }
        return replaced.map { [$0] } ?? []
    }

    /// What a change takes out goes after the lock: a caller's own credential may ask something when it
    /// goes.
    private func release(_ change: () -> [URLCredential]) {
        let gone = lock.withLock(change)
        withExtendedLifetime(gone) {}
    }
}

extension CredentialStorage: CustomReflectable {
    /// How many spaces have credentials; not the credentials.
    public var customMirror: Mirror {
        let count = lock.withLock { entries.count }
        return Mirror(self, children: ["spaces": count], displayStyle: .class)
    }
}
