import CLinux
import Foundation
import HTTPSemantics

/// Where a complete file was downloaded from, in an extended attribute.
///
/// Some file systems have no attributes, and a copy may lose them; the origin is then unknown.
package struct FileOrigin: Hashable {
    private static let name = "user.OperationNetworking.origin"

    private let text: String

    /// The mark of a file as it is now: the hash of its URL, its length and its modification time, one of which
    /// differs after a change.
    ///
    /// - Parameter address: a URL without user and password, as in records.
    package init?(_ address: String, of descriptor: Int32) {
        guard let key = Self.key(address), let state = Self.state(of: descriptor) else {
            return nil
        }
        text = "\(key) \(state)"
    }

    /// The hash of a URL in a mark.
    package static func key(_ address: String) -> String? {
        SHA256.digest(of: Data(address.utf8))
    }

    /// A regular file's length and time, one of which differs after a change; nil for anything else.
    package static func state(of descriptor: Int32) -> String? {
        let status = cfile_status_of(descriptor)
        guard status.failure == 0, status.is_regular == 1 else { return nil }
        return "\(status.size) \(status.modified_seconds) \(status.modified_nanoseconds)"
    }

    /// The names of the files in a folder that were downloaded and have not changed since, by the hashes of their
    /// URLs.
    package static func names(in folder: String) -> [String: String] {
        var names: [String: String] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            // A part that was complete when the process was killed has the mark too.
            if DownloadPlace.suffixes.contains(where: { !$0.isEmpty && name.hasSuffix($0) }) {
                continue
            }
            // O_NONBLOCK: opening a pipe would block.
            let descriptor = open(
                "\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            let parts = attribute(of: descriptor).split(separator: " ", maxSplits: 1)
            if parts.count == 2, let state = state(of: descriptor), parts[1] == state {
                names[String(parts[0])] = name
            }
        }
        return names
    }

    /// Marks a file as downloaded from a URL.
    package static func mark(_ path: String, _ address: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        FileOrigin(address, of: descriptor)?.write(to: descriptor)
        close(descriptor)
    }

    /// Marks a part as made by a download.
    ///
    /// - Returns: false if the file system has no attributes.
    static func markPart(_ descriptor: Int32) -> Bool {
        let bytes = Array(part.utf8)
        return cfile_set_attribute(descriptor, name, bytes, bytes.count) == 0
    }

    /// Whether the part is marked as made by a download.
    static func isPart(_ descriptor: Int32) -> Bool { attribute(of: descriptor) == part }

    private static let part = "part"

    /// Writes the mark; a failure is ignored.
    func write(to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = cfile_set_attribute(descriptor, Self.name, bytes, bytes.count)
    }

    /// Whether the file has this mark.
    package func marks(_ descriptor: Int32) -> Bool {
        Self.attribute(of: descriptor) == text
    }

    /// Whether the file has a mark with the same URL and time and a greater length, and was written before the system
    /// was started. A program that truncates a file changes its time, and a power failure does not.
    func isCutShort(_ descriptor: Int32, startOfSystem: Int64 = cfile_start_of_system()) -> Bool {
        let now = text.split(separator: " ")
        let then = Self.attribute(of: descriptor).split(separator: " ")
        guard now.count == 4, then.count == 4, now[0] == then[0], now[2...] == then[2...],
            let length = Int64(now[1]), let lengthThen = Int64(then[1]), let time = Int64(now[2])
        else { return false }
        return length < lengthThen && time < startOfSystem
    }

    private static func attribute(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = cfile_attribute(descriptor, name, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }
}

/// A file that is at a download's destination before the download begins.
struct ExistingFile: Hashable {
    var length: Int64
    var sha256: String
    /// Whether it was downloaded from the same URL and has not changed since.
    var isOurs: Bool
    /// The mark for the file as it was before it was read.
    private let origin: FileOrigin?

    /// Reads and hashes a file; nil if there is none. A file that a power failure has truncated is removed.
    ///
    /// - Parameter opened: called once the file is open; another program may replace it then.
    init?(
        path: String, address: String, opened: (() -> Void)? = nil, isCancelled: () -> Bool
    ) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw DownloadError.disk("open", path) }
        defer { close(descriptor) }
        guard cfile_status_of(descriptor).is_regular == 1 else {
            throw DownloadError.unusable("\(path) is no regular file.")
        }
        opened?()
        origin = FileOrigin(address, of: descriptor)
        if origin?.isCutShort(descriptor) == true, LockedFile.isNamed(descriptor, path),
            unlink(path) == 0
        {
            return nil
        }
        let hash = try SHA256()
        length = try hash.update(
            reading: .max, of: descriptor, path: path, isCancelled: isCancelled)
        sha256 = try hash.digest()
        isOurs = FileOrigin(address, of: descriptor)?.marks(descriptor) == true
    }

    /// Marks the file as downloaded from a URL, whose bytes it has.
    ///
    /// - Returns: false if it has changed since it was read.
    func mark(_ path: String, _ address: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let now = FileOrigin(address, of: descriptor)
        guard now == origin else { return false }
        now?.write(to: descriptor)
        return true
    }
}

extension FileSum {
    /// Whether a file has this sum.
    func isSum(of path: String, isCancelled: () -> Bool) throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw DownloadError.disk("open", path) }
        defer { close(descriptor) }
        let hash = try SHA256(kind)
        _ = try hash.update(
            reading: .max, of: descriptor, path: path, isCancelled: isCancelled)
        return try hash.digest() == digits
    }
}

extension SHA256 {
    /// The digits of some bytes; nil while the process exits.
    static func digest(of bytes: Data) -> String? {
        guard let hash = try? SHA256() else { return nil }
        bytes.withUnsafeBytes { hash.update($0) }
        return try? hash.digest()
    }

    /// Adds bytes of a file, from the descriptor's position on.
    ///
    /// - Returns: the number of bytes; less than `limit` at the end of the file.
    /// - Throws: `DownloadError.disk`; `CancellationError` as soon as `isCancelled` is true.
    func update(
        reading limit: Int64, of descriptor: Int32, path: String, isCancelled: () -> Bool
    ) throws -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var total: Int64 = 0
        while total < limit {
            if isCancelled() { throw CancellationError() }
            let most = Int(min(limit - total, Int64(buffer.count)))
            let count = read(descriptor, buffer.baseAddress, most)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DownloadError.disk("read", path) }
            guard count > 0 else { break }
            update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += Int64(count)
        }
        return total
    }
}

/// Opens files that only one process may write, and compares open files with paths.
enum LockedFile {
    /// Opens and locks a file, without waiting and without following a link.
    ///
    /// - Parameter opened: called before the file is locked; another process may rename it until then.
    /// - Throws: `DownloadError.disk`, with `EWOULDBLOCK` if another process has locked it.
    static func open(
        _ path: String, _ flags: Int32, opened: (() -> Void)? = nil
    ) throws(DownloadError) -> Int32 {
        while true {
            let descriptor = Foundation.open(
                path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o666)
            guard descriptor >= 0 else { throw .disk("open", path) }
            opened?()
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let error = DownloadError.disk("lock", path)
                Foundation.close(descriptor)
                throw error
            }
            if isNamed(descriptor, path) { return descriptor }
            Foundation.close(descriptor)
        }
    }

    /// Whether it is a regular file with no other name.
    static func isAlone(_ descriptor: Int32) -> Bool {
        let status = cfile_status_of(descriptor)
        return status.failure == 0 && status.is_regular == 1 && status.links == 1
    }

    /// Whether the path still names the open file.
    static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        isSame(cfile_status_of(descriptor), cfile_status_at(path))
    }

    /// Opens an open file again, for reading; -1 if the path names another file.
    static func openAgain(_ descriptor: Int32, _ path: String) -> Int32 {
        let again = Foundation.open(
            path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        if again < 0 || isSame(cfile_status_of(descriptor), cfile_status_of(again)) { return again }
        Foundation.close(again)
        return -1
    }

    private static func isSame(_ one: cfile_status, _ other: cfile_status) -> Bool {
        one.failure == 0 && other.failure == 0 && one.device == other.device
            && one.inode == other.inode
    }
}
