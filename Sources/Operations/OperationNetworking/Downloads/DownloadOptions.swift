public import Foundation
public import HTTPSemantics

/// What a download may expect, replace and repeat, as a value.
public struct DownloadOptions: Sendable {
    /// What becomes of a file that is at the destination before the download.
    public enum ExistingFile: Sendable, Hashable {
        /// It stays, always. The download succeeds where it has the expected hash, was downloaded from the
        /// same address and has not changed since, or has the same bytes as the server's; otherwise it
        /// fails with `DownloadError.otherFile`.
        case compare
        /// The downloaded file replaces it, by a rename.
        case replace
    }

    /// The SHA-256 that the file must have, as 64 hexadecimal digits; nil: any.
    public var expectedSHA256: String?
    /// The length in bytes that the file must have; nil: the one the server announces.
    public var expectedLength: Int64?
    /// `compare` at first.
    public var existingFile = ExistingFile.compare
    /// Whether an earlier part counts; if not, the download starts at the first byte.
    public var continuesPart = true
    /// Which failures are tried again, and when; nil: none is. A failure in the middle of a body counts as
    /// `URLError.networkConnectionLost`, and the next try asks for the rest.
    ///
    /// Unless it is set, `configuration.retryPolicy` of the manager counts, with its budget, and where the
    /// manager has none, `RetryPolicy()`.
    public var retryPolicy: RetryPolicy? {
        get { ownPolicy ?? RetryPolicy() }
        set { ownPolicy = .some(newValue) }
    }
    /// Whether gzip and deflate are offered, and decoded on the way; false at first: the bytes are kept as the
    /// server sent them, in whatever content coding it stores them. A coded response that stops cannot be
    /// gone on with, and starts over.
    public var isCompressed = false
    /// Seconds that the download may take with all its tries; `URLError.timedOut` then. Nil: any. The
    /// manager's `timeoutIntervalForResource` counts for all tries together as well.
    public var timeout: TimeInterval?

    /// How many connections may bring parts of the file at once, 1 to 16; 1 at first.
    ///
    /// There are more than one only where the server's first response has a strong entity tag, a length and
    /// `Accept-Ranges: bytes`, while each has `minimumSegmentLength` bytes to bring, and where the first alone
    /// would take more than about a second. They go by the limits of the manager for an origin, which
    /// `segments` does not raise, and by those for connections.
    public var segments = 1
    /// The least number of bytes that a further connection is opened for; 4 MiB at first.
    public var minimumSegmentLength: Int64 = 4 << 20

    /// The servers that asked for a rest; nil: each download keeps its own alone.
    package var rests: OriginRests?

    /// Whether the caller writes files of at most a MiB through to the disk, many at once. Until then a power cut
    /// may leave one short under its name, never one with other bytes; the next download to it sees that and starts
    /// over. A process that is killed takes nothing.
    package var isSyncedLater = false

    /// What was set; the outer nil: nothing.
    private var ownPolicy: RetryPolicy?? = .none

    /// Seconds that the first connection is watched before there are further ones.
    var watchTime: TimeInterval = 0.25

    /// The values named at each property.
    public init(expectedSHA256: String? = nil, existingFile: ExistingFile = .compare) {
        self.expectedSHA256 = expectedSHA256
        self.existingFile = existingFile
    }

    /// The policy of a download whose connections are configured with this one.
    func policy(or configured: RetryPolicy?) -> RetryPolicy? {
        ownPolicy ?? configured ?? RetryPolicy()
    }

    /// As many as may be.
    var width: Int { min(max(segments, 1), 16) }

    /// The expected hash in the form that hashes are compared in.
    ///
    /// - Throws: `DownloadError.unusable` where it is no hash: a typing error must not turn the check off.
    func hash() throws(DownloadError) -> String? {
        guard let text = expectedSHA256?.lowercased() else { return nil }
        let digits = Set("0123456789abcdef".utf8)
        guard text.utf8.count == 64, text.utf8.allSatisfy(digits.contains) else {
            throw .unusable("The expected SHA-256 must be 64 hexadecimal digits.")
        }
        return text
    }
}

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
