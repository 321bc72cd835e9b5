import CLinux
import Foundation
import HTTPSemantics

// Where the part of a new download goes, and what may lie there.
extension PartFile {
    /// Opens the part that a download made before, or makes one.
    ///
    /// - Throws: `DownloadError.otherPart` where something lies there, or where the record goes, that no
    ///   download made: a file of somebody else's, a link or other name of one, a pipe. A download that may
    ///   replace files removes it, and what it leads to stays.
    func make() throws(DownloadError) {
        let found = try DownloadRecord.look(at: place)
        if found == .strange {
            guard mayReplace else { throw .otherPart(path: place.record) }
            DownloadRecord.remove(place)
        }
        mayHaveRecord = found == .record
        // Somebody may put something else there each time.
        for _ in 1...10 {
            if try openPart() { return mark() }
            guard mayReplace else { throw .otherPart(path: place.part) }
            guard unlink(place.part) == 0 || errno == ENOENT else {
                throw .disk("remove", place.part)
            }
        }
        throw .otherPart(path: place.part)
    }

    /// - Returns: false where no download made what is there.
    private func openPart() throws(DownloadError) -> Bool {
        do throws(DownloadError) {
            descriptor = try LockedFile.open(place.part, O_RDWR | O_CREAT | O_CLOEXEC)
        } catch {
            // A link, a socket, a device without a driver.
            if case .disk(_, _, let code) = error, [ELOOP, ENXIO, ENODEV].contains(code) {
                return false
            }
            throw error
        }
        // A part beside a record is a download's, also where its mark was lost with a copy.
        let status = cfile_status_of(descriptor)
        let isOurs =
            status.failure == 0 && status.is_regular == 1 && status.links == 1
            && (status.size == 0 || FileOrigin.isPart(descriptor) || isWhole
                || access(place.record, F_OK) == 0)
        // An earlier download may have ended while it wrote its record.
        if status.size > 0 { mayHaveRecord = true }
        if !isOurs { unlock() }
        return isOurs
    }

    /// Whether a process was killed after it marked the whole file and before it gave it its name.
    private var isWhole: Bool {
        FileOrigin(address, of: descriptor)?.marks(descriptor) == true
    }

    /// Where the file system stores no attributes, a record without bytes says whose the part is.
    func mark() {
        isMarkedByRecord = !FileOrigin.markPart(descriptor)
    }

    // MARK: What an earlier process left, compared with its record

    func openEarlier(anyAddress: Bool, isCancelled: () -> Bool) throws {
        guard DownloadRecord(place) != nil else { return }
        guard try openThere() else { return }
        // Once more under the lock: another process may have gone on meanwhile.
        guard let record = DownloadRecord(place), anyAddress || record.address == address else {
            return
        }
        let known = record.usableRanges
        guard record.offset > 0 || !known.isEmpty,
            let front = try verified(0, record.marks, isCancelled)
        else { return }
        var ranges: [(range: Range<Int64>, hash: SHA256)] = []
        for range in known {
            guard let (end, hash) = try verified(range.start, range.marks, isCancelled) else {
                continue
            }
            // The first hash may reach into it, and then goes over bytes that this one lacks.
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
        // The first hash may have gone on into the next range.
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

    /// Reads bytes of the part and compares them with what may have been recorded.
    private func verified(
        _ start: Int64, _ marks: [(end: Int64, sha256: String)], _ isCancelled: () -> Bool
    ) throws -> (end: Int64, hash: SHA256)? {
        for mark in marks {
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

    /// - Returns: false where there is no part, or something else in its place.
    private func openThere() throws(DownloadError) -> Bool {
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
        // It may be given up, and its record with it.
        mark()
        return true
    }
}
