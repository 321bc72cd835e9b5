import Foundation
import HTTPSemantics

// The record beside the part.
extension PartFile {
    func writeRecord() throws {
        guard descriptor >= 0, var record, let hash = hashes[map.first.id], stored > recorded else {
            return
        }
        try takeSynced(into: &record)
        record.offset = max(map.first.position, hashed)
        record.sha256 = try hash.digest()
        let before = record.ranges ?? []
        let ranges = try map.segments.dropFirst().filter { $0.position > $0.start }.map { segment in
            let known = before.first { $0.start == segment.start }
            return DownloadRecord.StoredRange(
                start: segment.start, end: segment.position,
                sha256: try hashes[segment.id]?.digest() ?? "", syncedEnd: known?.syncedEnd,
                syncedSHA256: known?.syncedSHA256)
        }
        record.ranges = ranges.isEmpty ? nil : ranges
        try write(record)
        self.record = record
        recorded = stored
        if sync == nil, stored - synced >= Self.syncInterval {
            sync = PartSync(
                record, stored, of: descriptor, recordFile?.descriptor ?? -1, path: place.part,
                by: calls)
        }
    }

    /// What has reached the disk since, for certain.
    ///
    /// - Throws: the disk's error, after which nothing of the part counts: the system may have lost any of its bytes,
    ///   and says so once.
    private func takeSynced(into record: inout DownloadRecord) throws(DownloadError) {
        guard let done = sync, let code = done.result else { return }
        sync = nil
        guard code == 0 else {
            forget()
            throw .disk(action: "write", path: place.part, code: code)
        }
        synced = done.stored
        (record.syncedOffset, record.syncedSHA256) = (done.record.offset, done.record.sha256)
        record.ranges = record.ranges?.map { range in
            guard let then = done.record.ranges?.first(where: { $0.start == range.start }) else {
                return range
            }
            var range = range
            (range.syncedEnd, range.syncedSHA256) = (then.end, then.sha256)
            return range
        }
    }

    /// Forgets a part that its download has left, unless another one has it: to that the system reports the error too.
    ///
    /// - Parameter mark: the record that says no more than that the part is a download's, where that is needed.
    static func forget(_ part: Int32, _ place: DownloadPlace, _ mark: DownloadRecord?) {
        guard flock(part, LOCK_EX | LOCK_NB) == 0 else { return }
        // A program that is being started meanwhile may have a copy of it.
        defer { flock(part, LOCK_UN) }
        guard LockedFile.isNamed(part, place.part) else { return }
        DownloadRecord.remove(place)
        if let mark { try? mark.write(place) }
    }
}
