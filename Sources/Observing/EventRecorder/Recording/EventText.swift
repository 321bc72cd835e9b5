public import Foundation

/// The text of an event: eight bytes that identify a string.
///
/// What looks like a secret in a URL is redacted before the string is stored (``init(_:)``), so no
/// recording can show it. Each ``init(_:)`` costs a lock and a dictionary access, so store fixed
/// texts in a `static let`.
///
/// A text belongs to the process or to a recording. About the first 3,500 short strings passed to
/// ``init(_:)`` belong to the process and stay. Later ones, and URLs, belong to the current
/// recording and live as long as it or a copy of it, those of the last recording also until another
/// starts. Of texts made while nothing is recorded the last 1 MiB stays. Where a string is gone or
/// was left out, ``string`` says so.
public struct EventText: Sendable, BitwiseCopyable {
    /// The string's number in the process or the recording; 0 is the empty string.
    public let number: UInt32
    /// The recording that the text belongs to; 0 for the process.
    @usableFromInline let table: UInt32

    /// No text.
    @inlinable public static var none: EventText { EventText(number: 0) }

    /// Identifies a string, in which user information and secret values of URLs are redacted:
    /// `GET https://me:word@example.com/?token=abc` is stored as
    /// `GET https://REDACTED@example.com/?token=REDACTED`.
    public init(_ text: String) {
        self = TextTable.text(for: text, of: .code)
    }

    /// A URL, redacted as in ``init(_:)``.
    public init(redacting url: URL) { self.init(recorded: url.absoluteString) }

    /// A request's method and URL, redacted as in ``init(_:)``.
    public init(method: String?, url: URL?) {
        self.init(recorded: (method ?? "GET") + " " + (url?.absoluteString ?? ""))
    }

    /// One of the few fixed texts in this package's code: it stays for the life of the process.
    package init(fixed text: String) {
        self = TextTable.text(for: text, of: .package)
    }

    /// A string that a peer chose, or of which a program may make thousands.
    package init(recorded text: String) {
        self = TextTable.text(for: text, of: .recorded)
    }

    @inlinable package init(number: UInt32, of table: UInt32 = 0) {
        self.number = number
        self.table = table
    }

    /// The string.
    public var string: String { number == 0 ? "" : TextTable.string(of: self) }

    @inlinable package var isNone: Bool { number == 0 }

    @inline(__always)
    package func isOf(_ recording: UInt32) -> Bool { table == 0 || table == recording }
}

// Constants, because a `static let` would cost a call each time.
extension EventText {
    static let named = [
        "", "success", "failure", "progress", "completion", "sockets", "timer", "jobs",
        "(text left out)", "(text of a recording that is gone)",
    ]

    @inlinable package static var success: EventText { EventText(number: 1) }
    @inlinable package static var failure: EventText { EventText(number: 2) }
    @inlinable package static var progress: EventText { EventText(number: 3) }
    @inlinable package static var completion: EventText { EventText(number: 4) }
    @inlinable package static var sockets: EventText { EventText(number: 5) }
    @inlinable package static var timer: EventText { EventText(number: 6) }
    @inlinable package static var jobs: EventText { EventText(number: 7) }
    /// Replaces a text that exceeds the limit: ``Recording/textsLeftOut``.
    static var leftOut: EventText { EventText(number: 8) }
    static var gone: EventText { EventText(number: 9) }
}

extension EventText: Hashable {
    /// Texts are equal when their strings are, also in two recordings.
    public static func == (one: EventText, other: EventText) -> Bool {
        if one.table == other.table || one.isNone || other.isNone {
            return one.number == other.number
        }
        return one.string == other.string
    }

    /// Hashes the string.
    public func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension EventText: Codable {
    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        let string = try decoder.singleValueContainer().decode(String.self)
        let owner = TextTable.decoded.map(TextTable.Owner.decoded) ?? .code
        self = TextTable.text(for: string, of: owner)
    }

    /// Writes the string, because its number is valid only in this process.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
