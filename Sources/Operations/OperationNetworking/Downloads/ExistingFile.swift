import CLinux
import Foundation
import HTTPSemantics

/// A file that is at a download's destination before it begins.
struct ExistingFile: Hashable {
    var length: Int64
    var sha256: String
    /// Whether it was downloaded from this address and has not changed since.
    var isOurs: Bool
    /// The mark of the file as it was before it was read.
    private let origin: FileOrigin?

    /// Reads and hashes a file, which takes time for a long one; nil where there is none.
    ///
    /// One of which a power cut took bytes is removed: it was downloaded from this address before the system began to
    /// run, and is shorter than it was.
    ///
    /// - Parameter opened: called once the file is open; another program may give its name to another file then.
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

    /// Writes down that the file has the bytes of its address.
    ///
    /// - Returns: false where it is not the file any more that was read.
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

extension SHA256 {
    /// Adds so many bytes of a file, from an open descriptor's position on.
    ///
    /// - Returns: the bytes read; fewer where the file ends before.
    /// - Throws: `DownloadError.disk`; `CancellationError` as soon as `isCancelled` is true.
    func update(
        reading limit: Int64, of descriptor: Int32, path: String, isCancelled: () -> Bool
    ) throws -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var total: Int64 = 0
        while total < limit {
            if isCancelled() { throw CancellationError() }
            let room = Int(min(limit - total, Int64(buffer.count)))
            let count = read(descriptor, buffer.baseAddress, room)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DownloadError.disk("read", path) }
            guard count > 0 else { break }
            update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += Int64(count)
        }
        return total
    }
}
