public import Foundation
public import HTTPSemantics

/// The settings of a download.
public struct DownloadOptions: Sendable {
    /// What happens to a file that is already at the destination.
    public enum ExistingFile: Sendable, Hashable {
        /// It is never replaced. The download succeeds if the file has the expected hash or the same bytes as
        /// the server's, or if it was downloaded from the same URL and is unchanged. Otherwise it fails with
        /// `DownloadError.otherFile`.
        case compare
        /// The downloaded file replaces it.
        case replace
    }

    /// The SHA-256 that the file must have, as 64 hexadecimal digits; nil for any.
    public var expectedSHA256: String?
    /// The length in bytes that the file must have; nil for the one that the server announces.
    public var expectedLength: Int64?
    /// `compare` at first.
    public var existingFile = ExistingFile.compare
    /// Whether an earlier part is continued; if not, the download starts at the first byte.
    public var continuesPart = true
    /// Which failures are retried, and when; nil for none. A failure in the middle of a body counts as
    /// `URLError.networkConnectionLost`, and the next try requests the missing bytes.
    ///
    /// Unless it is set, the manager's `configuration.retryPolicy` applies, with its budget; if that is nil,
    /// `RetryPolicy()`.
    public var retryPolicy: RetryPolicy? {
        get { ownPolicy ?? RetryPolicy() }
        set { ownPolicy = .some(newValue) }
    }
    /// Whether gzip and deflate are accepted, and decoded; such a response cannot be continued. False at first:
    /// the bytes are stored as they are sent, in whatever content coding the server has them.
    public var isCompressed = false
    /// Seconds that the download may take with all its tries before it fails with `URLError.timedOut`; nil for
    /// no limit. The manager's `timeoutIntervalForResource` applies to all tries together too.
    public var timeout: TimeInterval?

    /// How many connections may load segments of the file at once, 1 to 16; 1 at first.
    ///
    /// More than one is used only if the first response has a strong entity tag, a length and
    /// `Accept-Ranges: bytes`, and would take more than about a second alone. Each further one has at least
    /// `minimumSegmentLength` bytes to load. The manager's limits for an origin and for connections apply.
    public var segments = 1
    /// The least number of bytes for which a further connection is opened; 4 MiB at first.
    public var minimumSegmentLength: Int64 = 4 << 20

    /// A sum of another kind than SHA-256 that the file must have; the file is read for it when it is complete.
    package var otherSum: FileSum?

    /// What all downloads with the same value may receive in a second together; nil for no limit.
    package var rate: SharedRate?

    /// The least number of bytes in so many seconds; a try that receives less fails with `URLError.timedOut`.
    package var leastSpeed: (bytes: Int64, seconds: TimeInterval)?

    /// The state (`FileOrigin.state`) of the file that is to be replaced, which was downloaded from the same URL; nil
    /// for none. If it is set, no other file is replaced, nor another program's file that has the name of the part.
    package var refreshedState: String?

    /// The `Retry-After` times of servers, shared with other downloads; nil to share none.
    package var originDelays: OriginDelays?

    /// Whether the caller calls `fsync` later, for many files of at most a MiB at once. Until then a power failure
    /// may truncate the file under its name. The next download to it notices that and starts over.
    package var isSyncedLater = false

    /// The policy that was set; the outer nil if none was.
    private var ownPolicy: RetryPolicy?? = .none

    /// Seconds for which the first connection's speed is measured before there are further ones.
    var watchTime: TimeInterval = 0.25

    /// Makes options with the initial values of the other properties.
    public init(expectedSHA256: String? = nil, existingFile: ExistingFile = .compare) {
        self.expectedSHA256 = expectedSHA256
        self.existingFile = existingFile
    }

    /// The policy of a download whose connections are configured with this one.
    func policy(or configured: RetryPolicy?) -> RetryPolicy? {
        ownPolicy ?? configured ?? RetryPolicy()
    }

    var width: Int { min(max(segments, 1), 16) }

    /// The expected hash in lower case.
    ///
    /// - Throws: `DownloadError.unusable` if it is no hash, so that a typing error does not disable the check.
    func hash() throws(DownloadError) -> String? {
        guard let text = expectedSHA256?.lowercased() else { return nil }
        let digits = Set("0123456789abcdef".utf8)
        guard text.utf8.count == 64, text.utf8.allSatisfy(digits.contains) else {
            throw .unusable("The expected SHA-256 must be 64 hexadecimal digits.")
        }
        return text
    }
}

/// A complete file. Its length, and its hash if one was expected, are right.
public struct DownloadedFile: Sendable, Hashable {
    /// The file's URL.
    public let url: URL
    /// In bytes.
    public let length: Int64
    /// The SHA-256 of its bytes, as 64 hexadecimal digits.
    public let sha256: String
    /// How many bytes were stored before the last try.
    public let resumedFrom: Int64
    /// How many bytes of bodies were received in all tries of this download.
    public let receivedLength: Int64
    /// Whether the file was already at the destination.
    public let wasThere: Bool
}

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
    /// The number of bytes that are stored.
    public internal(set) var stored: Int64 = 0
    /// The length of the file; nil while it is unknown.
    public internal(set) var total: Int64?
    /// The number of bytes of bodies that were received in all tries.
    public internal(set) var received: Int64 = 0
    /// The number of bytes that were stored before the current try; nil before its response.
    public internal(set) var resumedFrom: Int64?
    /// The number of tries so far.
    public internal(set) var attempts = 0
}
