import Foundation
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
