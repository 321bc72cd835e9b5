public import Foundation

/// A file that is whole: its length, and its hash where one was expected, are right.
public struct DownloadedFile: Sendable, Hashable {
    /// Where it is.
    public let url: URL
    /// In bytes.
    public let length: Int64
    /// The SHA-256 of its bytes, as 64 hexadecimal digits.
    public let sha256: String
    /// How many bytes were there before the last try.
    public let resumedFrom: Int64
    /// How many bytes of the body came, over all tries of this download.
    public let receivedLength: Int64
    /// Whether the file was at the destination before, and stayed.
    public let wasThere: Bool
}

/// How far a download is.
public struct DownloadProgress: Sendable, Hashable {
    /// Bytes of the file that are stored.
    public internal(set) var stored: Int64 = 0
    /// Bytes of the whole file; nil while that is unknown.
    public internal(set) var total: Int64?
    /// Bytes of the body that came over all tries.
    public internal(set) var received: Int64 = 0
    /// Bytes that were there before the present try; nil before its response.
    public internal(set) var resumedFrom: Int64?
    /// How often the file was requested so far.
    public internal(set) var attempts = 0
}
