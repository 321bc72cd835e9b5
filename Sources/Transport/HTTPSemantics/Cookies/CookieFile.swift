public import Foundation
import Locking

/// A JSON file of cookies that only its owner may read. It is always replaced completely. Several
/// storages, also in several processes, may write to one file (`CookieMerge`).
///
/// ## Concurrency
/// Call from: any thread; `write` only on `queue`. Lock: one around `known`; the folder's lock
/// excludes other writers. Calls out on: nothing.
final class CookieFile: Sendable {
    /// The file is written on this queue, so the network thread does not wait for a disk.
    let queue = DispatchQueue(label: "CurlConnection.cookies")

    private let url: URL
    /// The file when it was last read or written.
    private let known = Locked<(data: Data?, cookies: [StoredCookie])>((nil, []))

    init(_ url: URL) {
        self.url = url
    }

    /// The file's cookies, each validated again; none where there is no file.
    func read(at now: Date) throws(CookieStorageError) -> [StoredCookie] {
        guard url.isFileURL else { throw error(.unreadable, "it is not a file's URL") }
        guard let data = try contents() else { return [] }
        let cookies = try cookies(in: data, at: now)
        known.withLock { $0 = (data, cookies) }
        return cookies
    }

    private func contents() throws(CookieStorageError) -> Data? {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw error(.unreadable, Self.systemText()) }
            return nil
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try handle.readToEnd() ?? Data()
        } catch {
            throw self.error(.unreadable, "\(error)")
        }
    }

    private func cookies(
        in data: Data, at now: Date
    ) throws(CookieStorageError) -> [StoredCookie] {
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: data)
        } catch {
            throw self.error(.damaged, "it is not what a storage writes")
        }
        guard content.version == Content.version else {
            throw error(.damaged, "its version is \(content.version)")
        }
        return content.cookies.compactMap(\.cookie).filter { !$0.isExpired(at: now) }
    }

    /// Merges these cookies into the file; session cookies are left out.
    ///
    /// A process that ends meanwhile leaves the old file or the new one, at worst with a temporary
    /// file whose name begins with a dot. A deleted file is written again.
    ///
    /// - Parameter now: cookies in the file that have expired by then are ignored.
    /// - Returns: what other writers changed in the file.
    func write(_ cookies: [StoredCookie], at now: Date) throws(CookieStorageError) -> CookieMerge {
        let folder = url.deletingLastPathComponent().path
        guard let lock = FolderLock(folder) else { throw error(.unwritable, Self.systemText()) }
        let old = try contents()
        let own = cookies.filter { $0.expiry != nil }
        let known = known.withLock { $0 }
        var file = known.cookies
        if let old, old != known.data {
            file = try self.cookies(in: old, at: now)
        }
        let merge = CookieMerge(known: known.cookies, file: file, own: own)
        let data = try encoded(merge.merged)
        if data != old { try replace(with: data) }
        self.known.withLock { $0 = (data, merge.merged) }
        // Held until here.
        _ = consume lock
        return merge
    }

    private func encoded(_ cookies: [StoredCookie]) throws(CookieStorageError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(Content(cookies: cookies.compactMap(CookieRecord.init)))
        } catch {
            throw self.error(.unwritable, "\(error)")
        }
    }

    private func replace(with data: Data) throws(CookieStorageError) {
        let new = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).\(UUID().uuidString)").path
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(.unwritable, Self.systemText()) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
        } catch {
            unlink(new)
            throw self.error(.unwritable, "\(error)")
        }
        guard rename(new, url.path) == 0 else {
            let reason = Self.systemText()
            unlink(new)
            throw error(.unwritable, reason)
        }
    }

    private func error(_ code: CookieStorageError.Code, _ reason: String) -> CookieStorageError {
        CookieStorageError(code: code, file: url, reason: reason)
    }

    private static func systemText() -> String {
        String(cString: strerror(errno))
    }
}

private struct Content: Codable {
    static let version = 1

    var version = Content.version
    var cookies: [CookieRecord]
}

/// A cookie as it is stored in a file.
private struct CookieRecord: Codable {
    var name: String
    var value: String
    var domain: String
    var isHostOnly: Bool
    var path: String
    var isSecure: Bool
    var isHTTPOnly: Bool
    var expires: Date
    var created: Date

    /// Nil for a session cookie.
    init?(_ cookie: StoredCookie) {
        guard let expiry = cookie.expiry else { return nil }
        name = cookie.name
        value = cookie.value
        domain = cookie.host.text
        isHostOnly = cookie.identity.isHostOnly
        path = cookie.path
        isSecure = cookie.isSecure
        isHTTPOnly = cookie.isHTTPOnly
        expires = expiry
        created = cookie.creation
    }

    /// The cookie, validated again; nil where it is not valid.
    var cookie: StoredCookie? {
        CanonicalHost(domain).flatMap {
            StoredCookie(
                name: name, value: value, host: $0, isHostOnly: isHostOnly, path: path,
                isSecure: isSecure, isHTTPOnly: isHTTPOnly, expiry: expires, creation: created)
        }
    }
}

/// Merges the cookies of one storage into a file that other storages write too.
///
/// Three states are compared: the file as this storage last saw it, the file now, and the storage.
/// A change on one side is kept. Where both sides changed a cookie, the storage's change wins,
/// because it is written last.
struct CookieMerge {
    /// The file's new contents: the storage's cookies in their order, then the others.
    private(set) var merged: [StoredCookie] = []
    /// What other writers stored or replaced, and what they removed; the storage does the same.
    private(set) var stored: [StoredCookie] = []
    private(set) var removed: [StoredCookie] = []

    init(known: [StoredCookie], file: [StoredCookie], own: [StoredCookie]) {
        let known = Self.byIdentity(known)
        var others = Self.byIdentity(file)
        for cookie in own {
            let before = known[cookie.identity]
            let theirs = others.removeValue(forKey: cookie.identity)
            if cookie != before || theirs == cookie {
                merged.append(cookie)
            } else if let theirs {
                merged.append(theirs)
                stored.append(theirs)
            } else {
                removed.append(cookie)
            }
        }
        // A known cookie that is missing in the storage was removed by it, unless another writer
        // changed the cookie.
        for cookie in file
        where others[cookie.identity] == cookie && cookie != known[cookie.identity] {
            merged.append(cookie)
            stored.append(cookie)
        }
    }

    private static func byIdentity(
        _ cookies: [StoredCookie]
    ) -> [StoredCookie.Identity: StoredCookie] {
        Dictionary(cookies.map { ($0.identity, $0) }) { $1 }
    }
}

/// Locks a folder's files for a short time, against other processes too. It is the kernel's lock on
/// the folder itself: it leaves no file behind, and the end of a process releases it.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// How many times a taken lock is tried, and the microseconds between two tries.
    private static let (tries, pause) = (500, UInt32(4_000))

    /// Waits about two seconds at most. On a file system without locks it continues without one.
    ///
    /// - Returns: nil where the folder cannot be opened, or the lock was taken for too long;
    ///   `errno` says which.
    init?(_ folder: String) {
        let folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        var tries = Self.tries
        while flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            tries -= 1
            guard tries > 0 else {
                close(folder)
                errno = EWOULDBLOCK
                return nil
            }
            usleep(Self.pause)
        }
        descriptor = folder
    }

    deinit {
        // A forked process may have inherited the descriptor, and the lock with it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// Why a file of cookies could not be used; the file is left as it is.
///
/// As an `NSError` it has the domain `CurlConnection.cookies`; later versions keep its codes.
public struct CookieStorageError: NumberedError, Sendable {
    /// What went wrong.
    public enum Code: Int, Sendable {
        /// 1: the file could not be read; a missing file is no error.
        case unreadable = 1
        /// 2: what the file holds is not what a storage writes.
        case damaged = 2
        /// 3: the cookies could not be written.
        case unwritable = 3
    }

    /// What went wrong.
    public let code: Code
    /// The file.
    public let file: URL
    /// The reason in the words of the operating system or the decoder.
    public let reason: String

    /// `CurlConnection.cookies`.
    public static var errorDomain: String { "CurlConnection.cookies" }

    package var numbered: (number: Int, sentence: String) { (code.rawValue, sentence) }

    private var sentence: String {
        switch code {
        case .unreadable: "The cookies in \(file.path) cannot be read: \(reason)."
        case .damaged: "\(file.path) is no file of cookies, or damaged: \(reason)."
        case .unwritable: "The cookies cannot be written to \(file.path): \(reason)."
        }
    }

    package var details: [String: Any] { [NSFilePathErrorKey: file.path] }
}
