import Foundation

/// The files of one cache, in a directory that is locked against other caches.
///
/// A file is complete or absent, because it is written under another name and then renamed. File
/// names are random and contain nothing of a URL.
final class CacheDirectory: Sendable {
    /// Files are written and deleted on this queue, except that `contents` deletes incomplete ones.
    let queue = DispatchQueue(label: "ResponseCache.directory", qos: .userInitiated)
    private let path: String
    /// The descriptor of the lock that keeps other caches out.
    private let lock: Int32

    private static let suffix = ".answer"
    private static let partSuffix = ".part"

    /// Creates the directory if it is missing, and locks it.
    ///
    /// - Throws: `ResponseCacheError`.
    init(_ url: URL) throws(ResponseCacheError) {
        path = url.path
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw ResponseCacheError(.cannotUseDirectory, path)
        }
        lock = open(path + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw ResponseCacheError(.cannotUseDirectory, path) }
        guard Self.tryLock(lock) else { throw ResponseCacheError(.directoryInUse, path) }
    }

    /// A child process inherits its parent's lock until its own program is loaded, so the lock of a
    /// released cache may last a moment longer.
    private static func tryLock(_ lock: Int32) -> Bool {
        for _ in 0..<50 {
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(2_000)
        }
        return false
    }

    /// Called also where the initializer throws.
    deinit {
        guard lock >= 0 else { return }
        // A forked process may have inherited the descriptor, and the lock with it.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// The stored responses, least recently used first; deletes incomplete files.
    func contents() -> [(head: StoredHead, file: CacheEntry.File)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var found: [(head: StoredHead, file: CacheEntry.File, used: (Int64, Int64))] = []
        for name in names where Self.isOwn(name) {
            if name.hasSuffix(Self.suffix), let (head, file) = readHead(of: name) {
                found.append((head, CacheEntry.File(name: name, size: file.size), file.used))
            } else {
                delete(name)
            }
        }
        found.sort { $0.used < $1.used }
        return found.map { ($0.head, $0.file) }
    }

    private static func isOwn(_ name: String) -> Bool {
        let stem = name.prefix(32)
        return stem.utf8.count == 32 && stem.allSatisfy(\.isHexDigit)
            && [suffix, partSuffix].contains(String(name.dropFirst(32)))
    }

    private func readHead(of name: String) -> (StoredHead, StoredFile)? {
        guard let file = StoredFile(path + "/" + name), let start = CacheFile.start(of: file),
            let head = CacheFile.head(start)
        else { return nil }
        return (head, file)
    }

    /// The body of a response; see `CacheFile`.
    func body(in name: String, upTo limit: Int) throws(CacheFile.Failure) -> StoredBody {
        errno = 0
        guard let file = StoredFile(path + "/" + name) else {
            throw [EMFILE, ENFILE].contains(errno) ? .notNow : .damaged
        }
        // The modification time is the time of the last use, by which `contents` sorts.
        futimens(file.descriptor, nil)
        return try CacheFile.body(of: file, upTo: limit)
    }

    /// Writes a response; nil where that fails, and then no file remains.
    func write(_ head: StoredHead, _ body: Data) -> CacheEntry.File? {
        guard let start = try? CacheFile.start(head: head, body: body) else { return nil }
        let stem = Data.sixteenRandomBytes().hexadecimal
        let part = path + "/" + stem + Self.partSuffix
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(part, flags, 0o600)
        guard descriptor >= 0 else { return nil }
        var isWritten = Self.write(start, to: descriptor) && Self.write(body, to: descriptor)
        isWritten = close(descriptor) == 0 && isWritten
        guard isWritten, rename(part, path + "/" + stem + Self.suffix) == 0 else {
            unlink(part)
            return nil
        }
        return CacheEntry.File(name: stem + Self.suffix, size: start.count + body.count)
    }

    func delete(_ name: String) {
        unlink(path + "/" + name)
    }

    // MARK: Descriptors

    private static func write(_ data: Data, to descriptor: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let step = Foundation.write(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { return false }
                done += step
            }
            return true
        }
    }
}
