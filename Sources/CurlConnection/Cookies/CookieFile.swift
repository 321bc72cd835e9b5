import Foundation

/// A file of cookies: JSON that only its owner may read, replaced as a whole.
///
/// ## Concurrency
/// Call from: any thread; `write` from inside `queue` only. Lock: none, `queue` guards what was
/// written. Calls out on: nothing.
final class CookieFile: @unchecked Sendable {
    // @unchecked because `written` is only touched on the queue.

    /// Where writing happens, so that no network thread waits for a disk.
    let queue = DispatchQueue(label: "CurlConnection.cookies")

    private let url: URL
    private var written: Data?

    init(_ url: URL) {
        self.url = url
    }

    /// The cookies of the file, judged anew; none when there is no file.
    func read(at now: Date) throws(CookieStorageError) -> [StoredCookie] {
        guard url.isFileURL else { throw error(.unreadable, "it is not a file's URL") }
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw error(.unreadable, Self.systemText()) }
            return []
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let data: Data
        do {
            data = try handle.readToEnd() ?? Data()
        } catch {
            throw self.error(.unreadable, "\(error)")
        }
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

    /// Replaces the file if these are not its cookies already; those of the session stay out.
    ///
    /// A process that ends on the way leaves the old file or the new one, at worst with another
    /// beside it whose name begins with a dot.
    func write(_ cookies: [StoredCookie]) throws(CookieStorageError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data: Data
        do {
            data = try encoder.encode(Content(cookies: cookies.compactMap(Record.init)))
        } catch {
            throw self.error(.unwritable, "\(error)")
        }
        guard data != written else { return }
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
        written = data
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
    var cookies: [Record]
}

private struct Record: Codable {
    var name: String
    var value: String
    var domain: String
    var isHostOnly: Bool
    var path: String
    var isSecure: Bool
    var isHTTPOnly: Bool
    var expires: Date
    var created: Date

    /// nil for a cookie of the session.
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

    var cookie: StoredCookie? {
        CanonicalHost(domain).flatMap {
            StoredCookie(
                name: name, value: value, host: $0, isHostOnly: isHostOnly, path: path,
                isSecure: isSecure, isHTTPOnly: isHTTPOnly, expiry: expires, creation: created)
        }
    }
}
