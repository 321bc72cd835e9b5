import Foundation
import FoundationNetworking
import OperationNetworking

/// One file being written: `NAME.part`, its record, and the hash of what is in it.
///
/// Nothing is created before `startOver`, so that a refused download leaves no trace.
///
/// ## Concurrency
/// Call from: one thread at a time, in this order: the queue that starts the operation, the network
/// thread, the queue that hears of the end. Lock: none; each hands over through a queue. Calls out:
/// none.
final class PartFile: @unchecked Sendable {
    // @unchecked because its three users come one after another.
    let place: FilePlace
    let url: String
    private let isForced: Bool
    private var descriptor: Int32 = -1
    private var hash: SHA256?
    /// Bytes in the file.
    private(set) var size: Int64 = 0

    /// - Parameter isForced: whether what an earlier try left does not count.
    init(place: FilePlace, url: String, isForced: Bool = false) {
        self.place = place
        self.url = url
        self.isForced = isForced
    }

    deinit {
        close()
    }

    /// Opens and hashes what an earlier try left. Takes long for a long part.
    ///
    /// - Returns: what to ask for; nil when there is nothing that can be continued.
    func openForMore(isCancelled: () -> Bool) throws -> PartialContent? {
        guard !isForced, let record = PartRecord.read(place) else { return nil }
        do {
            try open(O_RDWR | O_APPEND | O_CLOEXEC)
        } catch let error where error.code == ENOENT {
            return nil
        }
        let hash = try SHA256()
        size = try hash.update(reading: descriptor, path: place.part, isCancelled: isCancelled)
        self.hash = hash
        return record.content(of: size, for: url)
    }

    /// Empties the part for an answer that begins at the first byte, and writes down whose it is.
    func startOver(for response: URLResponse) throws {
        if descriptor < 0 {
            try open(O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC)
        }
        PartRecord.remove(place)
        // Not for a new file: Linux would then write it out at once when it is closed.
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

    /// Appends bytes. After an error the part has what could be written.
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

    /// Gives the whole file its name.
    ///
    /// - Returns: its SHA-256.
    func finish() throws -> String {
        defer { close() }
        guard let hash, rename(place.part, place.path) == 0 else {
            throw DiskError(action: "rename", path: place.part)
        }
        PartRecord.remove(place)
        return hash.finish()
    }

    /// Lets go of the file; the part stays. Again is harmless.
    func close() {
        guard descriptor >= 0 else { return }
        // A process that is being started meanwhile may hold a copy for a moment, and the lock with
        // it.
        flock(descriptor, LOCK_UN)
        Foundation.close(descriptor)
        descriptor = -1
    }

    private func open(_ flags: Int32) throws(DiskError) {
        let opened = Foundation.open(place.part, flags, 0o666)
        guard opened >= 0 else { throw DiskError(action: "open", path: place.part) }
        descriptor = opened
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = DiskError(action: "lock", path: place.part)
            close()
            throw error
        }
    }
}
