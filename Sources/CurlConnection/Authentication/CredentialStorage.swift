import Foundation
public import FoundationNetworking

/// Credentials by protection space: what NSURLCredentialStorage is on Apple's systems.
///
/// Spaces are compared by value: role, scheme, host without case, port, realm and method. It lives
/// in memory alone and ends with the process, so `.permanent` and `.synchronizable` mean
/// `.forSession` here. A credential with the persistence `.none` is never kept.
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
    private var entries: [ProtectionSpaceKey: Entry] = [:]

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

    /// The credential that is tried before anybody is asked.
    public func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        lock.withLock {
            guard let entry = entries[ProtectionSpaceKey(space)] else { return nil }
            return entry.defaultUser.flatMap { entry.credentials[$0] }
        }
    }

    /// The credentials of a space by user; nil when there is none.
    public func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
        lock.withLock { entries[ProtectionSpaceKey(space)]?.credentials }
    }

    /// Everything that is kept. Pairs, since Foundation's spaces are no use as keys on Linux.
    public var allCredentials: [(space: URLProtectionSpace, credentials: [String: URLCredential])] {
        lock.withLock { entries.values.map { ($0.space, $0.credentials) } }
    }

    /// Forgets a credential; another of the same user, with another password, stays.
    public func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
        guard let user = credential.user else { return }
        let key = ProtectionSpaceKey(space)
        change { entries in
            guard let kept = entries[key]?.credentials[user], kept.password == credential.password
            else { return }
            entries[key]?.credentials[user] = nil
            if entries[key]?.credentials.isEmpty == true {
                entries[key] = nil
            } else if entries[key]?.defaultUser == user {
                entries[key]?.defaultUser = nil
            }
        }
    }

    /// Forgets everything.
    public func removeAll() {
        change { $0 = [:] }
    }

    private func keep(
        _ credential: URLCredential, for space: URLProtectionSpace, isDefault: Bool
    ) {
        guard credential.persistence != .none, let user = credential.user else { return }
        let key = ProtectionSpaceKey(space)
        change { entries in
            var entry = entries[key] ?? Entry(space: space)
            entry.credentials[user] = credential
            if isDefault || entry.defaultUser == nil {
                entry.defaultUser = user
            }
            entries[key] = entry
        }
    }

    /// What is replaced goes after the lock: a caller's own credential may ask something when it
    /// goes.
    private func change(_ change: (inout [ProtectionSpaceKey: Entry]) -> Void) {
        let old = lock.withLock {
            let old = entries
            change(&entries)
            return old
        }
        withExtendedLifetime(old) {}
    }
}

extension CredentialStorage: CustomReflectable {
    /// How many spaces have credentials; not the credentials.
    public var customMirror: Mirror {
        let count = lock.withLock { entries.count }
        return Mirror(self, children: ["spaces": count], displayStyle: .class)
    }
}
