import CLinux
public import Foundation
import FoundationNetworking
import HTTPSemantics

/// What is needed to continue a part, in a small JSON file beside it.
///
/// The download writes it after each half MiB of the part, so that it names stored bytes whenever the process ends.
/// After about each 16 MiB, `fsync` writes the part and the record to the disk, in case the power fails. A resumed
/// download compares the part with the hashes of the record. If the record is damaged, the download starts over.
/// Only its owner may read it, since URLs may contain secrets; user and password are left out.
public struct DownloadRecord: Codable, Hashable, Sendable {
    /// The requested URL, which is requested again: redirects may have changed.
    public internal(set) var address: String
    /// The URL of the response, after redirects.
    public internal(set) var finalAddress: String
    /// A strong `ETag` or a `Last-Modified`, by which the server recognizes the version of the file.
    public internal(set) var validator: String
    /// The content coding of the stored bytes; nil for none.
    public internal(set) var contentCoding: String?
    /// The length of the file in bytes; nil if unknown.
    public internal(set) var length: Int64?
    /// How many bytes are stored from the first on.
    public internal(set) var offset: Int64
    /// The SHA-256 of these bytes.
    public internal(set) var sha256: String
    /// How many of them were written to the disk by `fsync`; nil for none.
    public internal(set) var syncedOffset: Int64?
    /// The SHA-256 of the bytes of `syncedOffset`.
    public internal(set) var syncedSHA256: String?
    /// Stored ranges behind these bytes, in order, of a download with several connections.
    public internal(set) var ranges: [StoredRange]?

    /// A range of stored bytes, with its hash.
    public struct StoredRange: Codable, Hashable, Sendable {
        /// The offset of the first byte.
        public internal(set) var start: Int64
        /// The offset behind the last byte.
        public internal(set) var end: Int64
        /// The SHA-256 of the range.
        public internal(set) var sha256: String
        /// The offset up to which they were written to the disk by `fsync`; nil for none.
        public internal(set) var syncedEnd: Int64?
        /// The SHA-256 up to that offset.
        public internal(set) var syncedSHA256: String?

        /// The ends that the range may have after a power failure, with the hashes; the longer first.
        var ends: [(end: Int64, sha256: String)] {
            let all = (end: end, sha256: sha256)
            guard let syncedEnd, let syncedSHA256, syncedEnd > start, syncedEnd < end else {
                return [all]
            }
            return [all, (end: syncedEnd, sha256: syncedSHA256)]
        }
    }

    /// Reads the record of a download to a file; nil if there is none, or a damaged one.
    public init?(of file: URL) {
        self.init(DownloadPlace(path: file.path))
    }

    init?(_ place: DownloadPlace) {
        guard let data = Self.contents(place.record),
            let record = RecordFile.record(in: data),
            record.offset >= 0, record.offset <= record.length ?? .max
        else { return nil }
        self = record
    }

    /// The bytes of a record's file; nil for a link or a pipe, or if it is longer than any record.
    private static func contents(_ path: String) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let status = cfile_status_of(descriptor)
        guard status.is_regular == 1, status.links == 1, status.size <= 1 << 24 else { return nil }
        return try? file.read(upToCount: Int(status.size))
    }

    /// What the path of a record names.
    enum Found {
        case nothing, record
        /// A link or a pipe, or a file that is no record and has no part beside it, so that it is not a damaged
        /// record either.
        case foreign
    }

    /// - Throws: `DownloadError.disk` if the system lacks descriptors or memory.
    static func find(at place: DownloadPlace) throws(DownloadError) -> Found {
        let descriptor = open(place.record, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return .nothing
            case EMFILE, ENFILE, ENOMEM: throw .disk("open", place.record)
            default: return .foreign
            }
        }
        defer { close(descriptor) }
        let status = cfile_status_of(descriptor)
        guard status.is_regular == 1, status.links == 1 else { return .foreign }
        let isNone = DownloadRecord(place) == nil && access(place.part, F_OK) != 0
        return isNone ? .foreign : .record
    }

    /// A record without bytes, which marks a part as made by a download.
    init(markOf address: String) {
        self.init(address: address, validator: "", length: nil, offset: 0, sha256: "")
    }

    /// The record of an empty part; nil if the response could not be continued.
    ///
    /// - Parameter isAsSent: whether the body is stored in its content coding.
    init?(of response: HTTPURLResponse, address: String, isAsSent: Bool) {
        guard
            let content = PartialContent(
                of: response, stored: 0, validator: nil, isAsSent: isAsSent)
        else { return nil }
        self.address = address
        finalAddress = response.url.map(Self.address) ?? address
        validator = content.validator
        contentCoding = content.coding
        length = content.totalLength
        offset = 0
        sha256 = ""
    }

    /// A record without a content coding and without further ranges.
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

    /// A URL as records contain it, without user and password.
    package static func address(_ url: URL) -> String {
        guard url.user != nil || url.password != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url.absoluteString }
        parts.user = nil
        parts.password = nil
        return parts.string ?? url.absoluteString
    }

    /// What a request for the bytes from an offset on continues.
    func content(at offset: Int64) -> PartialContent {
        var content = PartialContent(offset: offset, validator: validator, totalLength: length)
        content.coding = contentCoding
        return content
    }

    /// The stored bytes from the first on.
    var first: StoredRange {
        StoredRange(
            start: 0, end: offset, sha256: sha256, syncedEnd: syncedOffset,
            syncedSHA256: syncedSHA256)
    }

    /// The ranges, if they are in order and inside the file; otherwise none. The first stored bytes may overlap
    /// the first of them.
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

    /// Replaces the record's file.
    package func write(_ place: DownloadPlace) throws(DownloadError) {
        _ = try RecordFile(self, at: place)
    }

    static func remove(_ place: DownloadPlace) {
        unlink(place.record)
        unlink(place.newRecord)
    }
}

/// The paths of a file, and of the part and the record beside it until it is complete.
package struct DownloadPlace: Hashable, Sendable {
    package static let partSuffix = ".part"
    static let recordSuffix = ".part.json"
    /// The suffix of a record that is being written.
    static let newRecordSuffix = ".part.json~"
    package static let suffixes = ["", partSuffix, recordSuffix, newRecordSuffix]
    package static let longestSuffix = newRecordSuffix

    package let path: String

    package init(path: String) {
        self.path = path
    }

    package var part: String { path + Self.partSuffix }
    package var record: String { path + Self.recordSuffix }
    var newRecord: String { path + Self.newRecordSuffix }
}
