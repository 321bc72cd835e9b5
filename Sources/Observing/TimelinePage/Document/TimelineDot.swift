/// A dot of a picture: an event at one time.
public struct TimelineDot: Codable, Sendable, Equatable {
    /// When it happened, in milliseconds on the axis.
    public var time: Double
    /// The name in addition to the kind, such as "status 200"; may be empty.
    public var name: String
    /// How it is drawn, and what the tables call it.
    public var kind: Kind
    /// The subject, numbered within the era, such as "operation 3"; empty for none.
    public var subject: String
    /// The row within the track.
    public var row: Int
    /// Further text for the table; may be empty.
    public var detail: String
    /// How many bytes were received or sent; merged dots have the sum.
    public var bytes: Int64
    /// How many marks were merged into it.
    public var count: Int

    /// A dot at a time in milliseconds.
    public init(
        time: Double, name: String, kind: Kind, subject: String = "", row: Int = 0,
        detail: String = "", bytes: Int64 = 0, count: Int = 1
    ) {
        self.time = time
        self.name = name
        self.kind = kind
        self.subject = subject
        self.row = row
        self.detail = detail
        self.bytes = bytes
        self.count = count
    }

    /// The kind, which decides how it is drawn.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case callback
        /// A callback with an error.
        case failure
        case progress
        case cancelled
        case submitted
        case enqueued
        case mode
        case head = "response head"
        case received
        case sent
        case note
    }
}
