public import Foundation
import FoundationNetworking
import HTTPSemantics

/// What is needed to resume a part: a small JSON file beside it.
///
/// The download writes it each half MiB, after the bytes, and replaces the one before by a rename: whenever
/// the process dies, it names bytes that are there. Each 16 MiB part and record are also written through to the
/// disk, for when the power fails; a resumed download compares the record with the part first.
/// A record that is not whole is ignored, and its part starts over. It is readable for its owner alone,
/// since addresses may hold secrets; user and password are left out.
public struct DownloadRecord: Codable, Hashable, Sendable {
    /// The address that was asked for, and is asked for again: redirects may lead elsewhere then.
    public internal(set) var address: String
    /// The address that the bytes came from, after redirects.
    public internal(set) var finalAddress: String
    /// A strong `ETag` or a `Last-Modified`, which says that the rest is of the same file.
    public internal(set) var validator: String
    /// The whole length in bytes; nil where it is unknown.
    public internal(set) var length: Int64?
    /// How many bytes of the part count.
    public internal(set) var offset: Int64
    /// The SHA-256 of that many bytes.
    public internal(set) var sha256: String
    /// How many of the bytes are on the disk for certain; nil: none.
    public internal(set) var syncedOffset: Int64?
    /// The SHA-256 of those.
    public internal(set) var syncedSHA256: String?
    /// The bytes behind the first that count too, in order, where parts of the file came at once.
    public internal(set) var ranges: [StoredRange]?

    /// Bytes of the part that are there, and their hash.
    public struct StoredRange: Codable, Hashable, Sendable {
        /// The offset of the first.
        public internal(set) var start: Int64
        /// The offset behind the last.
        public internal(set) var end: Int64
        /// The SHA-256 of the bytes between.
        public internal(set) var sha256: String
        /// Up to where they are on the disk for certain; nil: none is.
        public internal(set) var syncedEnd: Int64?
        /// The SHA-256 up to there.
        public internal(set) var syncedSHA256: String?

        /// Where they may end, with their hash; the longer first.
        var marks: [(end: Int64, sha256: String)] {
            var marks = [(end: end, sha256: sha256)]
            if let syncedEnd, let syncedSHA256, syncedEnd > start, syncedEnd < end {
                marks.append((end: syncedEnd, sha256: syncedSHA256))
            }
            return marks
        }
    }

    /// Reads the record of a download to a file; nil where there is no whole record.
    public init?(of file: URL) {
        self.init(DownloadPlace(path: file.path))
    }

    init?(_ place: DownloadPlace) {
        guard let data = FileManager.default.contents(atPath: place.record),
            let record = try? JSONDecoder().decode(DownloadRecord.self, from: data),
            record.offset >= 0, record.offset <= record.length ?? .max
        else { return nil }
        self = record
    }

    /// The record of a part without bytes; nil where the response cannot be continued.
    init?(of response: HTTPURLResponse, address: String) {
        guard let content = PartialContent(of: response, stored: 0) else { return nil }
        self.address = address
        finalAddress = response.url.map(Self.address) ?? address
        validator = content.validator
        length = content.totalLength
        offset = 0
        sha256 = ""
    }

    /// For tests: a record as an earlier download would have left it.
    package init(
        address: String, finalAddress: String? = nil, validator: String, length: Int64?,
        offset: Int64,
        sha256: String
    ) {
        self.address = address
        self.finalAddress = finalAddress ?? address
        self.validator = validator
        self.length = length
        self.offset = offset
        self.sha256 = sha256
    }

    /// An address as records have it: without user and password.
    package static func address(_ url: URL) -> String {
        guard url.user != nil || url.password != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url.absoluteString }
        parts.user = nil
        parts.password = nil
        return parts.string ?? url.absoluteString
    }

    /// What goes on at an offset.
    func content(at offset: Int64) -> PartialContent {
        PartialContent(offset: offset, validator: validator, totalLength: length)
    }

    /// Where the first bytes may end, with their hash; the longer first.
    var marks: [(end: Int64, sha256: String)] {
        var marks = [(end: offset, sha256: sha256)]
        if let syncedOffset, let syncedSHA256, syncedOffset > 0, syncedOffset < offset {
            marks.append((end: syncedOffset, sha256: syncedSHA256))
        }
        return marks
    }

    /// The ranges, where they can be: in order, behind the start and inside the file. The hash of the first
    /// bytes may reach into the first of them.
    var usableRanges: [StoredRange] {
        guard let ranges, let length else { return [] }
        var least: Int64 = 0
        for range in ranges {
            guard range.start >= least, range.end > range.start, range.end <= length else {
                return []
            }
            least = range.end
        }
        return offset <= ranges.first?.end ?? 0 ? ranges : []
    }

    /// Puts it in the place of the record before.
    ///
    /// - Parameter isSynced: whether it is written through to the disk.
    package func write(
        _ place: DownloadPlace, isSynced: Bool = false
    ) throws(DownloadError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return }
        unlink(place.newRecord)
        let descriptor = open(place.newRecord, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .disk("open", place.newRecord) }
        let count = data.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        let code = count < 0 ? errno : count < data.count ? ENOSPC : 0
        let isDone = code == 0 && (!isSynced || fsync(descriptor) == 0)
        let failure = code != 0 ? code : isDone ? 0 : errno
        close(descriptor)
        guard failure == 0 else {
            unlink(place.newRecord)
            throw .disk(action: "write", path: place.newRecord, code: failure)
        }
        guard rename(place.newRecord, place.record) == 0 else { throw .disk("write", place.record) }
    }

    static func remove(_ place: DownloadPlace) {
        unlink(place.record)
        unlink(place.newRecord)
    }
}
