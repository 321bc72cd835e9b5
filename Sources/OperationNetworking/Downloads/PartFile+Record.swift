import Foundation
import HTTPSemantics

// The record beside the part.
extension PartFile {
    func writeRecord() throws {
        guard descriptor >= 0, var record, let hash = hashes[map.first.id], stored > recorded else {
            return
        }
        let isSynced = stored - synced >= Self.syncInterval
        if isSynced, fsync(descriptor) != 0 { throw DownloadError.disk("write", place.part) }
        record.offset = max(map.first.position, hashed)
        record.sha256 = try hash.digest()
        if isSynced { (record.syncedOffset, record.syncedSHA256) = (record.offset, record.sha256) }
        let before = record.ranges ?? []
        let ranges = try map.segments.dropFirst().filter { $0.position > $0.start }.map { segment in
            let digest = try hashes[segment.id]?.digest() ?? ""
            let known = before.first { $0.start == segment.start }
            return DownloadRecord.StoredRange(
                start: segment.start, end: segment.position, sha256: digest,
                syncedEnd: isSynced ? segment.position : known?.syncedEnd,
                syncedSHA256: isSynced ? digest : known?.syncedSHA256)
        }
        record.ranges = ranges.isEmpty ? nil : ranges
        try record.write(place, isSynced: isSynced)
        self.record = record
        recorded = stored
        if isSynced { synced = stored }
    }
}
