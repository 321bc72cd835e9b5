public import Foundation

/// A text of an event: eight bytes that stand for a string.
///
/// What looks like a secret in a URL is redacted before the string is kept (``init(_:)``), so no
/// recording can show it. The first use of a string costs a lock and a dictionary, so keep fixed
/// texts in a `static let`.
///
/// A text belongs to the process or to a recording. The first 3,500 short strings or so that
/// ``init(_:)`` is given are the process's and stay; what comes behind them, and addresses, belong to the recording
/// that is made meanwhile, and are there as long as it, or a copy of it, is; those of the last one also until
/// another starts. Of those made while nothing is recorded the last 1 MiB stays. Then, and where a
/// recording has no room for more, ``string`` says so in their place.
public struct EventText: Sendable, BitwiseCopyable {
    /// The number of the string among those of the process or the recording; 0 is the empty string.
    public let number: UInt32
    /// The recording whose text it is; 0 for the process's.
    @usableFromInline let table: UInt32

    /// No text.
    @inlinable public static var none: EventText { EventText(number: 0) }

    /// Stands for a string, in which user information and secret values of URLs are redacted:
    /// `GET https://me:word@example.com/?token=abc` is kept as
    /// `GET https://REDACTED@example.com/?token=REDACTED`.
    public init(_ text: String) {
        self = TextTable.text(for: text, of: .code)
    }

    /// Stands for an address, redacted as in ``init(_:)``.
    public init(redacting url: URL) { self.init(recorded: url.absoluteString) }

    /// Stands for a request's method and address, redacted as in ``init(_:)``.
    public init(method: String?, url: URL?) {
        self.init(recorded: (method ?? "GET") + " " + (url?.absoluteString ?? ""))
    }

    /// Stands for a text of this package's own code, of which there are few: it always stays.
    package init(fixed text: String) {
        self = TextTable.text(for: text, of: .package)
    }

    /// Stands for a string that somebody else chose: a peer, or what a program names by the thousand.
    package init(recorded text: String) {
        self = TextTable.text(for: text, of: .recorded)
    }

    @inlinable package init(number: UInt32, of table: UInt32 = 0) {
        self.number = number
        self.table = table
    }

    /// The string that it stands for.
    public var string: String { number == 0 ? "" : TextTable.string(of: self) }

    @inlinable package var isNone: Bool { number == 0 }

    /// Whether a recording can show it.
    @inline(__always)
    package func isOf(_ recording: UInt32) -> Bool { table == 0 || table == recording }
}

// Those that kinds name (``Event/Kind``) are constants: a `static let` is asked for by a call each time.
extension EventText {
    /// By their numbers.
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
    /// In place of one for which a recording has no room: ``Recording/textsLeftOut``.
    static var leftOut: EventText { EventText(number: 8) }
    static var gone: EventText { EventText(number: 9) }
}

extension EventText: Hashable {
    /// Texts are equal when their strings are, also those of two recordings.
    public static func == (one: EventText, other: EventText) -> Bool {
        if one.table == other.table || one.isNone || other.isNone {
            return one.number == other.number
        }
        return one.string == other.string
    }

    /// By the string.
    public func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension EventText: Codable {
    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        let string = try decoder.singleValueContainer().decode(String.self)
        let owner = TextTable.decoded.map(TextTable.Owner.read) ?? .code
        self = TextTable.text(for: string, of: owner)
    }

    /// Writes the string, for numbers mean nothing elsewhere.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
