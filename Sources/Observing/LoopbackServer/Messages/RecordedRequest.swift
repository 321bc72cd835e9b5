public import Foundation

/// One request as the server saw it.
public struct RecordedRequest: Sendable {
    /// The most body bytes that `body` has.
    public static let keptBodyLimit = 1 << 20

    /// The method, for example `GET`.
    public let method: String
    /// The request target as it was on the wire.
    public let target: String
    /// The target's path with percent escapes decoded.
    public let path: String
    /// The target's query with percent escapes decoded; the first value of a repeated name.
    public let query: [String: String]
    /// The header fields.
    public let headers: HeaderFields
    /// The number of the connection; the first accepted one is 1.
    public let connection: Int
    /// The request's number on its connection; the first is 1.
    public let sequence: Int
    /// Whether it was received over TLS.
    public let isSecure: Bool

    /// Body bytes received, in bytes, chunk framing excluded.
    public internal(set) var bodyLength: Int64 = 0
    /// The first `keptBodyLimit` bytes of the body.
    ///
    /// Empty in the log once the log holds 64 MiB of bodies.
    public internal(set) var body = Data()
    /// The FNV-1a hash of the whole body; see `BodyHash`.
    public internal(set) var bodyHash = BodyHash().value
    /// Trailer fields of a chunked body.
    public internal(set) var trailers = HeaderFields()
    /// Whether the whole body was received.
    public internal(set) var bodyIsComplete = false

    init(head: RequestHead, connection: Int, sequence: Int, isSecure: Bool) {
        method = head.method
        target = head.target
        headers = head.headers
        (path, query) = RequestHead.split(target: head.target)
        self.connection = connection
        self.sequence = sequence
        self.isSecure = isSecure
    }

    func isSame(as other: RecordedRequest) -> Bool {
        connection == other.connection && sequence == other.sequence
    }

    /// A whole number from the query, clamped to `bounds`.
    func number(_ name: String, or fallback: Int64, in bounds: ClosedRange<Int64>) -> Int64 {
        let value = query[name].flatMap { Int64($0) } ?? fallback
        return min(max(value, bounds.lowerBound), bounds.upperBound)
    }

    /// A duration in seconds from the query, from 0 to an hour.
    func seconds(_ name: String, or fallback: Double) -> Double {
        let value = query[name].flatMap { Double($0) } ?? fallback
        return value.isFinite ? min(max(value, 0), 3_600) : fallback
    }

    /// The seed in the query; 1 when there is none.
    var seed: UInt64 { query["seed"].flatMap { UInt64($0) } ?? 1 }
}
