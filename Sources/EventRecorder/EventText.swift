public import Foundation

/// A text of an event: four bytes that stand for a string of this process.
///
/// The first use of a string costs a lock and a dictionary; its number stays for the life of the
/// process. Keep fixed texts in a `static let`. What looks like a secret in a URL is redacted
/// before the string is kept (``init(_:)``), so no recording can show it.
public struct EventText: Sendable, Hashable, BitwiseCopyable {
    /// The number of the string in this process; 0 is the empty string.
    public let number: UInt32

    /// No text.
    @inlinable public static var none: EventText { EventText(number: 0) }

    /// Stands for a string, in which user information and secret values of URLs are redacted:
    /// `GET https://me:word@example.com/?token=abc` is kept as
    /// `GET https://REDACTED@example.com/?token=REDACTED`.
    public init(_ text: String) {
        self = text.isEmpty ? .none : TextTable.shared.redactedText(for: text)
    }

    /// Stands for an address, redacted as in ``init(_:)``.
    public init(redacting url: URL) { self.init(url.absoluteString) }

    /// Stands for a request's method and address, redacted as in ``init(_:)``.
    public init(method: String?, url: URL?) {
        self = TextTable.shared.text(
            of: RequestLine(method: method ?? "GET", address: url?.absoluteString ?? ""))
    }

    @inlinable package init(number: UInt32) { self.number = number }

    /// The string that it stands for.
    public var string: String { number == 0 ? "" : TextTable.shared.string(number) }
}

// Those that kinds name (``Event/Kind``) are constants: a `static let` is asked for by a call each time.
extension EventText {
    /// By their numbers.
    fileprivate static let named = [
        "", "success", "failure", "progress", "completion", "sockets", "timer", "jobs",
    ]

    @inlinable package static var success: EventText { EventText(number: 1) }
    @inlinable package static var failure: EventText { EventText(number: 2) }
    @inlinable package static var progress: EventText { EventText(number: 3) }
    @inlinable package static var completion: EventText { EventText(number: 4) }
    @inlinable package static var sockets: EventText { EventText(number: 5) }
    @inlinable package static var timer: EventText { EventText(number: 6) }
    @inlinable package static var jobs: EventText { EventText(number: 7) }
}

extension EventText: Codable {
    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the string, for numbers mean nothing elsewhere.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}

/// A request's method and address, not yet one string.
private struct RequestLine: Hashable {
    let method: String
    let address: String
}

/// All strings of this process's events.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`. Calls out: never.
private final class TextTable: @unchecked Sendable {
    // @unchecked because all variables are used under `lock` alone.
    static let shared = TextTable()

    private let lock = NSLock()

    // MARK: Guarded by lock
    private var strings = EventText.named
    private var numbers = Dictionary(uniqueKeysWithValues: zip(EventText.named, UInt32(0)...))
    /// Of the last requests without a secret.
    private var requests: [RequestLine: EventText] = [:]
    /// The one that was asked for last is mostly asked for again.
    private var lastRequest: (line: RequestLine, text: EventText)?

    private static let mostRequests = 1 << 10

    /// Puts together and redacts only what it does not know.
    func text(of request: RequestLine) -> EventText {
        if let text = lock.withLock({ known(request) }) { return text }
        let whole = request.method + " " + request.address
        let text = redactedText(for: whole)
        lock.withLock {
            guard strings[Int(text.number)] == whole else { return }
            if requests.count == Self.mostRequests { requests.removeAll(keepingCapacity: true) }
            requests[request] = text
        }
        return text
    }

    private func known(_ request: RequestLine) -> EventText? {
        if let lastRequest, lastRequest.line == request { return lastRequest.text }
        guard let text = requests[request] else { return nil }
        lastRequest = (request, text)
        return text
    }

    /// What is known was redacted before, and would stay as it is.
    func redactedText(for string: String) -> EventText {
        if let number = lock.withLock({ numbers[string] }) { return EventText(number: number) }
        return text(for: Redaction.text(string))
    }

    private func text(for string: String) -> EventText {
        lock.withLock {
            if let number = numbers[string] { return EventText(number: number) }
            let number = UInt32(strings.count)
            strings.append(string)
            numbers[string] = number
            return EventText(number: number)
        }
    }

    func string(_ number: UInt32) -> String { lock.withLock { strings[Int(number)] } }
}
