import CFileStatus
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// A file during its download: `NAME.part`, its record, and the hash of its bytes.
///
/// No file is created before `startOver`, so that a refused response leaves no file.
///
/// ## Concurrency
/// Call from: one thread at a time, in this order: the queue that starts the operation, the network
/// thread, the queue that hears of the end. Lock: none; each hands over through a queue. Calls out:
/// none.
final class PartFile: @unchecked Sendable {
    // @unchecked because its three users follow each other through queues.
    let place: FilePlace
    let url: String
    /// The existing file of that path, which must have the same bytes.
    let found: FoundFile?
    private let isForced: Bool
    private let mayReplace: Bool
    private var descriptor: Int32 = -1
    private var hash: SHA256?
    /// Bytes in the file.
    private(set) var size: Int64 = 0

    /// - Parameters:
    ///   - found: the existing file of that path.
    ///   - isForced: whether an earlier part is ignored.
    ///   - mayReplace: whether the file may replace an existing one.
    init(
        place: FilePlace, url: String, found: FoundFile? = nil, isForced: Bool = false,
        mayReplace: Bool = false
    ) {
        self.place = place
        self.url = url
        self.found = found
        self.mayReplace = mayReplace
        self.isForced = isForced
    }

    deinit {
        close()
    }

    /// Opens and hashes an earlier part, which takes time for a long one.
    ///
    /// - Returns: the content to continue; nil when there is none.
    func openForMore(isCancelled: () -> Bool) throws -> PartialContent? {
        guard !isForced, let record = PartRecord.read(place) else { return nil }
        do {
            descriptor = try LockedFile.open(place.part, O_RDWR | O_APPEND | O_CLOEXEC)
        } catch let error where error.code == ENOENT {
            return nil
        }
        let hash = try SHA256()
        size = try hash.update(reading: descriptor, path: place.part, isCancelled: isCancelled)
        self.hash = hash
        return record.content(of: size, for: url)
    }

    /// Empties the part for a response that begins at the first byte, and writes its record.
    func startOver(for response: URLResponse) throws {
        if descriptor < 0 {
            descriptor = try LockedFile.open(
                place.part, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC)
        }
        PartRecord.remove(place)
        // A new file is not truncated: Linux would write it to the disk at once when it is closed.
        guard lseek(descriptor, 0, SEEK_END) == 0 || ftruncate(descriptor, 0) == 0 else {
            throw DiskError(action: "empty", path: place.part)
        }
        size = 0
        hash = try SHA256()
        guard let content = PartialContent(of: response, stored: 0) else { return }
        try PartRecord(
            url: url, validator: content.validator, totalLength: content.totalLength
        ).write(place)
    }

    /// Appends bytes. After an error the part has the bytes that could be written.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = write(descriptor, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DiskError(action: "write", path: place.part) }
            hash?.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            size += Int64(count)
            rest = rest.dropFirst(count)
        }
    }

    /// Renames the complete part, or finds that the existing file has the same bytes.
    ///
    /// - Returns: its SHA-256.
    /// - Throws: `DownloadError.otherFile` where the existing file differs; it is kept.
    func finish() throws -> String {
        defer { close() }
        guard let digest = hash?.finish() else { throw DigestUnavailable() }
        if let found {
            try compare(digest, with: found)
            return digest
        }
        FileOrigin(url, of: descriptor)?.write(to: descriptor)
        // A file that was made during the download is not replaced.
        let code =
            mayReplace
            ? (rename(place.part, place.path) == 0 ? 0 : errno)
            : cfile_rename_new(place.part, place.path)
        guard code == 0 else { throw DiskError(action: "rename", path: place.part, code: code) }
        PartRecord.remove(place)
        return digest
    }

    private func compare(_ digest: String, with found: FoundFile) throws {
        unlink(place.part)
        PartRecord.remove(place)
        guard digest == found.sha256 else {
            throw DownloadError.otherFile(path: place.path, bytes: found.bytes, expected: size)
        }
        let descriptor = Foundation.open(place.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: place.path) }
        defer { Foundation.close(descriptor) }
        FileOrigin(url, of: descriptor)?.write(to: descriptor)
    }

    /// Closes and unlocks the part, which stays. A second call does nothing.
    func close() {
        guard descriptor >= 0 else { return }
        // A process that is being started meanwhile may hold a copy for a moment, and the lock with
        // it.
        flock(descriptor, LOCK_UN)
        Foundation.close(descriptor)
        descriptor = -1
    }
}
