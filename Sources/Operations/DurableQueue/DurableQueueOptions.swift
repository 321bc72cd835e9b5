import Foundation
public import HTTPSemantics

extension DurableQueue {
    /// Limits and choices of a durable queue, as a value.
    public struct Options: Sendable {
        /// When an entry that failed is sent again. Its `idempotencyKeyField` is that of the key,
        /// `Idempotency-Key` where it names none.
        public var retryPolicy = RetryPolicy.durable
        /// How many entries may be with the manager at once; 8 at first.
        public var maximumConcurrentEntries = 8
        /// How many entries may wait; `add` throws beyond. 10,000 at first.
        public var maximumEntries = 10_000
        /// How many bytes the entries may have, long bodies and those from files aside; 64 MiB at first, 128 at
        /// most.
        public var maximumStoredLength = 1 << 26
        /// How many bytes a body may have; 1 GiB at first.
        public var maximumBodyLength: Int64 = 1 << 30
        /// Whether a damaged file is used without its damaged entries, and kept as `queue.sqlite.damaged`; false
        /// at first: then it is an error that says which.
        public var acceptsDamage = false
        /// Whether nothing is sent at first.
        public var isSuspended = false
        var disk = Disk()

        /// The values named at each property.
        public init() {}
    }
}

extension RetryPolicy {
    /// For entries of a durable queue: any number of tries, up to five minutes apart, after every failure that
    /// says nothing about the request itself.
    public static var durable: RetryPolicy {
        var policy = RetryPolicy(budget: nil)
        policy.maximumAttempts = .max
        policy.statusCodes = [408, 425, 429, 500, 502, 503, 504]
        policy.errorCodes = [
            .unknown, .cancelled, .timedOut, .cannotFindHost, .cannotConnectToHost,
            .networkConnectionLost, .dnsLookupFailed, .notConnectedToInternet, .badServerResponse,
            .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .cannotLoadFromNetwork, .cannotParseResponse, .zeroByteResource,
            .cannotDecodeRawData, .cannotDecodeContentData, .resourceUnavailable,
            .internationalRoamingOff, .callIsActive, .dataNotAllowed,
        ]
        policy.idempotencyKeyField = "Idempotency-Key"
        policy.delay = 1
        policy.maximumDelay = 300
        policy.maximumRetryAfter = 7 * 86_400
        return policy
    }
}
