import CFileStatus
import Foundation

/// The files of one cache, in a directory that belongs to it alone while it lives.
///
/// A file appears whole or not at all: it is written under another name and renamed. Names are
/// random; nothing of a URL is in them.
final class CacheDirectory: Sendable {
    /// Writes and deletions happen here, one after the other.
    let queue = DispatchQueue(label: "ResponseCache.directory", qos: .utility)
    private let path: String
    /// Holds the lock that keeps other caches out.
    private let lock: Int32

    private static let suffix = ".answer"
    private static let partSuffix = ".part"

    /// Makes the directory where there is none, and takes it.
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
        guard Self.takes(lock) else {
            close(lock)
            throw ResponseCacheError(.directoryInUse, path)
        }
    }

    /// A process that is just being started has the lock of its parent for a moment, until its own
    /// program is loaded; so the lock of a cache that is gone may be held a little longer.
    private static func takes(_ lock: Int32) -> Bool {
        for _ in 0..<50 {
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(2_000)
        }
        return false
    }

    deinit {
        close(lock)
    }

    /// The answers that are here, least recently used first; deletes what is not whole.
    func contents() -> [(head: StoredHead, file: CacheEntry.File)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var found: [(head: StoredHead, file: CacheEntry.File, used: Use)] = []
        for name in names where Self.isOwn(name) {
            if name.hasSuffix(Self.suffix), let (head, size, used) = readHead(of: name) {
                found.append((head, CacheEntry.File(name: name, size: size), used))
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

    /// Seconds and nanoseconds of the last use.
    private typealias Use = (Int64, Int64)

    private func readHead(of name: String) -> (StoredHead, Int, Use)? {
        reading(name) { descriptor, status in
            let size = Int(status.size)
            guard let preamble = Self.bytes(of: descriptor, upTo: CacheFile.preambleSize),
                let start = CacheFile.startSize(preamble, fileSize: size),
                let rest = Self.bytes(of: descriptor, upTo: start - preamble.count),
                let head = CacheFile.head(preamble + rest)
            else { return nil }
            return (head, size, (status.modified_seconds, status.modified_nanoseconds))
        }
    }

    /// The body of an answer; nil when the file is gone or damaged.
    func body(in name: String) -> Data? {
        reading(name) { descriptor, status in
            // The time of the last change is that of the last use, for `contents`.
            futimens(descriptor, nil)
            return Self.bytes(of: descriptor, upTo: Int(status.size)).flatMap(CacheFile.body)
        }
    }

    /// Writes an answer; nil when that fails, and then nothing is left of it.
    func write(_ head: StoredHead, _ body: Data) -> CacheEntry.File? {
        guard let start = try? CacheFile.start(head: head, body: body) else { return nil }
        let stem = CacheDigest.hexadecimal(CacheDigest.sixteenRandomBytes())
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

    private func reading<Result>(
        _ name: String, _ body: (Int32, cfile_status) -> Result?
    ) -> Result? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path + "/" + name, flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let status = cfile_status_of(descriptor)
        guard status.failure == 0, status.is_regular != 0 else { return nil }
        return body(descriptor, status)
    }

    /// As many bytes as asked for, or nil.
    private static func bytes(of descriptor: Int32, upTo count: Int) -> Data? {
        var data = Data(count: count)
        var done = 0
        while done < count {
            let step = data.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: done), count - done)
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { return nil }
            done += step
        }
        return data
    }

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
