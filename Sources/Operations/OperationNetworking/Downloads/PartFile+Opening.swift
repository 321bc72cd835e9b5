import CLinux
import Foundation
import HTTPSemantics

// Opening a part: a new one, or one of an earlier download.

extension PartFile {
    /// Opens the part of an earlier download, or creates one.
    ///
    /// - Throws: `DownloadError.otherPart` if the path of the part or of the record names a file that no download
    ///   made, a link or a pipe. A download that may replace files removes it, but not what a link leads to.
    func make() throws(DownloadError) {
        let found = try DownloadRecord.find(at: place)
        if found == .foreign {
            guard mayReplace else { throw .otherPart(path: place.record) }
            DownloadRecord.remove(place)
        }
        mayHaveRecord = found == .record
        // Another program may create one each time.
        for _ in 1...10 {
            if try openPart() { return mark() }
            guard mayReplace else { throw .otherPart(path: place.part) }
            guard unlink(place.part) == 0 || errno == ENOENT else {
                throw .disk("remove", place.part)
            }
        }
        throw .otherPart(path: place.part)
    }

    /// - Returns: false if no download made the file.
    private func openPart() throws(DownloadError) -> Bool {
        do throws(DownloadError) {
            descriptor = try LockedFile.open(place.part, O_RDWR | O_CREAT | O_CLOEXEC)
        } catch {
            // A link, a socket, or a device without a driver.
            if case .disk(_, _, let code) = error, [ELOOP, ENXIO, ENODEV].contains(code) {
                return false
            }
            throw error
        }
        // A part beside a record is a download's, even if a copy has lost its mark.
        let status = cfile_status_of(descriptor)
        let isOurs =
            status.failure == 0 && status.is_regular == 1 && status.links == 1
            && (status.size == 0 || FileOrigin.isPart(descriptor) || isComplete
                || access(place.record, F_OK) == 0)
        // An earlier process may have ended while it wrote its record.
        if status.size > 0 { mayHaveRecord = true }
        if !isOurs { unlock() }
        return isOurs
    }

    /// Whether an earlier process has marked the complete file, and was killed before it renamed it.
    private var isComplete: Bool {
        FileOrigin(address, of: descriptor)?.marks(descriptor) == true
    }

    /// Marks the part as made by a download; without attributes, a record without bytes does that.
    func mark() {
        isMarkedByRecord = !FileOrigin.markPart(descriptor)
    }

    // MARK: An earlier part

    /// Opens and reads an earlier part. It is continued as far as it has the hashes of its record.
    ///
    /// - Parameter anyAddress: whether a part from another URL may be continued.
    func open(anyAddress: Bool, isCancelled: () -> Bool) throws {
        guard DownloadRecord(place) != nil else { return }
        guard try openExisting() else { return }
        // Again under the lock: another process may have continued the part meanwhile.
        guard let record = DownloadRecord(place), anyAddress || record.address == address else {
            return
        }
        let known = record.usableRanges
        guard record.offset > 0 || !known.isEmpty,
            let front = try verified(record.first, isCancelled)
        else { return }
        var ranges: [(range: Range<Int64>, hash: SHA256)] = []
        for range in known {
            guard let (end, hash) = try verified(range, isCancelled) else {
                continue
            }
            // The first hash may include bytes of the range that were lost.
            guard end >= front.end else { continue }
            ranges.append((range.start..<end, hash))
        }
        let end = max(front.end, ranges.last?.range.upperBound ?? 0)
        guard ftruncate(descriptor, off_t(end)) == 0 else {
            throw DownloadError.disk("cut", place.part)
        }
        take(record, front, ranges)
    }

    private func take(
        _ record: DownloadRecord, _ front: (end: Int64, hash: SHA256),
        _ ranges: [(range: Range<Int64>, hash: SHA256)]
    ) {
        self.record = record
        // The first hash may include a part of the next range.
        let stored = min(front.end, ranges.first?.range.lowerBound ?? front.end)
        if let length = record.length {
            map = SegmentMap(stored: stored, ranges: ranges.map(\.range), length: length)
        } else {
            map = SegmentMap(stored: stored, length: nil)
        }
        hashed = front.end
        hashes = [map.first.id: front.hash]
        for (segment, range) in zip(map.segments.dropFirst(), ranges) {
            hashes[segment.id] = range.hash
        }
        (recorded, synced) = (map.stored, record.syncedOffset ?? 0)
    }

    /// Reads a range of the part, and compares it with the hashes of the record.
    private func verified(
        _ range: DownloadRecord.StoredRange, _ isCancelled: () -> Bool
    ) throws -> (end: Int64, hash: SHA256)? {
        let start = range.start
        for mark in range.ends {
            guard lseek(descriptor, off_t(start), SEEK_SET) == start else { break }
            let hash = try SHA256()
            let count = try hash.update(
                reading: mark.end - start, of: descriptor, path: place.part,
                isCancelled: isCancelled)
            if count == mark.end - start, try hash.digest() == mark.sha256 {
                return (mark.end, hash)
            }
        }
        return nil
    }

    /// - Returns: false if there is no part, or a link or another file.
    private func openExisting() throws(DownloadError) -> Bool {
        do throws(DownloadError) {
            descriptor = try LockedFile.open(place.part, O_RDWR | O_CLOEXEC)
        } catch {
            if case .disk(_, _, let code) = error, [ENOENT, ELOOP].contains(code) { return false }
            throw error
        }
        guard LockedFile.isAlone(descriptor) else {
            unlock()
            return false
        }
        // The part may be emptied, which removes its record.
        mark()
        return true
    }
}
