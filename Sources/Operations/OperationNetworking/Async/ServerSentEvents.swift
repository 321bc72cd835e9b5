import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

/// The server-sent events of a body, as they are received.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// Any error of the request.
    public typealias Failure = any Error

    private let reader: Locked<BodyReader?>
    private let refusal: BodyReadingError?
    private let limit: Int

    init(_ reader: Locked<BodyReader?>, _ response: URLResponse, limit: Int) {
        self.reader = reader
        self.limit = limit
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let type = response.mimeType
        let isOne = status == 200 && type?.lowercased() == "text/event-stream"
        refusal = isOne ? nil : .notAnEventStream(status: status, type: type?.printable)
    }

    /// The events. If the response is no event stream, its body can still be read otherwise.
    public func makeAsyncIterator() -> Iterator {
        guard let refusal else {
            return Iterator(
                .success(ResponseChunks(reader: reader).makeAsyncIterator()), limit: limit)
        }
        return Iterator(.failure(refusal), limit: limit)
    }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let chunks: Result<ResponseChunks.Iterator, BodyReadingError>
        private var events: EventStreamParser

        init(_ chunks: Result<ResponseChunks.Iterator, BodyReadingError>, limit: Int) {
            self.chunks = chunks
            events = EventStreamParser(limit: limit)
        }

        /// The next event; nil after the last. An event without its final empty line is dropped.
        public mutating func next() async throws -> ServerSentEvent? {
            try await next(isolation: nil)
        }

        /// Like `next()`, but runs on the actor of the caller.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ServerSentEvent? {
            // A copy reads from the same body.
            var chunks = try chunks.get()
            while true {
                if let event = try events.next() { return event }
                guard let chunk = try await chunks.next(isolation: actor) else { return nil }
                events.feed(chunk)
            }
        }
    }
}

/// An event of an event stream (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The stream's `event` field; `message` where it has none.
    public var type: String
    /// The `data` fields, separated by LF.
    public var data: String
    /// The last `id` field so far, even of an earlier event; empty if there was none. A client that
    /// connects again sends it as `Last-Event-ID`.
    public var lastEventID: String
    /// The last `retry` field so far: how long to wait before connecting again; nil if there was none.
    public var reconnectionTime: Duration?

    /// Makes an event.
    public init(
        type: String = "message", data: String, lastEventID: String = "",
        reconnectionTime: Duration? = nil
    ) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.reconnectionTime = reconnectionTime
    }
}

/// Interprets the pieces of an event stream (WHATWG HTML, section 9.2.6).
struct EventStreamParser: Sendable {
    private let limit: Int
    private var lines: LineSplitter
    private var isFirstLine = true

    // The standard's data buffer, event type buffer and last event ID buffer.
    private var data: [UInt8] = []
    private var type: [UInt8] = []
    private var lastEventID = ""
    private var reconnectionTime: Duration?

    /// - Parameter limit: the most bytes of a line, and of an event's data.
    init(limit: Int) {
        self.limit = limit
        lines = LineSplitter(limit: limit)
    }

    /// Takes the next piece, after `next()` has returned nil.
    mutating func feed(_ piece: Data) {
        lines.feed(piece)
    }

    /// The next event that the piece completes; nil after the last.
    mutating func next() throws(BodyReadingError) -> ServerSentEvent? {
        while let line = try lines.next() {
            var line = line[...]
            if isFirstLine {
                isFirstLine = false
                if line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
            }
            if line.isEmpty {
                if let event = dispatched() { return event }
            } else {
                try process(line)
            }
        }
        return nil
    }

    /// A line that begins with a colon is a comment; one without a colon is a field without a value.
    private mutating func process(_ line: ArraySlice<UInt8>) throws(BodyReadingError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return try set(line, []) }
        guard colon > line.startIndex else { return }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        try set(line[..<colon], value)
    }

    private mutating func set(
        _ field: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>
    ) throws(BodyReadingError) {
        switch Self.text(field) {
        case "event":
            guard value.count <= Self.longestName else { throw .tooLong(limit: Self.longestName) }
            type = Array(value)
        case "data":
            guard data.count + value.count < limit else { throw .tooLong(limit: limit) }
            data.append(contentsOf: value)
            data.append(Self.lineFeed)
        case "id":
            // Ignoring the field would leave the id of an earlier event in force.
            guard value.count <= Self.longestName else { throw .tooLong(limit: Self.longestName) }
            if !value.contains(0) { lastEventID = Self.text(value) }
        case "retry":
            // A number that is too large is ignored, as one that is no number is.
            guard value.allSatisfy({ (0x30...0x39).contains($0) }),
                let milliseconds = Int32(Self.text(value))
            else { return }
            reconnectionTime = .milliseconds(milliseconds)
        default: break
        }
    }

    /// The event that an empty line completes; nil if it has no data.
    private mutating func dispatched() -> ServerSentEvent? {
        defer { (data, type) = ([], []) }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : Self.text(type[...]), data: Self.text(data.dropLast()),
            lastEventID: lastEventID, reconnectionTime: reconnectionTime)
    }

    /// Invalid UTF-8 becomes U+FFFD.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The most bytes of an event's type or id; the id becomes a header field of a request.
    private static let longestName = 8_192
    private static let lineFeed = UInt8(ascii: "\n")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
