public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Locking

/// The body of a response as it comes: bytes, or `chunks`, `lines` and `events` of it.
///
/// While the reader is behind, the socket is not read, so that at most about 1 MiB is in memory. A body
/// that is not complete ends with an error. It can be read once, by one iterator. The transfer is
/// cancelled when the loop is left early, by `break` or an error, when the task is cancelled, or when
/// this value is released before it was read.
///
/// ## Concurrency
/// Iterate in one task. Nothing blocks its thread.
public struct ResponseBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// Any error of the request.
    public typealias Failure = any Error

    /// The head of the response; its status and type are not validated.
    public let response: URLResponse
    /// Taken by the first iterator.
    let reader: Locked<BodyReader?>

    package init(_ channel: BodyChannel, _ response: URLResponse) {
        self.response = response
        reader = Locked(BodyReader(channel))
    }

    /// The bytes in the pieces in which they are received; none is empty.
    public var chunks: ResponseChunks { ResponseChunks(reader: reader) }

    /// The lines, of at most 16 MiB each.
    public var lines: ResponseLines { lines(limit: Self.usualLimit) }

    /// The lines, which end with LF, CR or CR LF, without these ends. Invalid UTF-8 becomes U+FFFD.
    ///
    /// Empty lines are included, and so is a last line without an end unless it is empty.
    ///
    /// - Parameter limit: the most bytes of a line; a longer one throws `BodyReadingError.tooLong`.
    public func lines(limit: Int) -> ResponseLines { ResponseLines(reader, limit: limit) }

    /// The server-sent events, of at most 16 MiB each.
    public var events: ServerSentEvents { events(limit: Self.usualLimit) }

    /// The server-sent events (WHATWG HTML, section 9.2).
    ///
    /// The first element throws `BodyReadingError.notAnEventStream` if the status is not 200 or the
    /// type is not `text/event-stream`. The connection is not made again when it ends.
    ///
    /// - Parameter limit: the most bytes of an event's data, or of a line. More throws
    ///   `BodyReadingError.tooLong`, and so does an id or a type of more than 8,192 bytes.
    public func events(limit: Int) -> ServerSentEvents {
        ServerSentEvents(reader, response, limit: limit)
    }

    private static let usualLimit = 16 << 20

    /// The bytes one by one.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator()) }

    /// Reads the bytes.
    public struct Iterator: AsyncIteratorProtocol {
        private var chunks: ResponseChunks.Iterator
        private var piece: [UInt8] = []
        private var position = 0

        init(_ chunks: ResponseChunks.Iterator) {
            self.chunks = chunks
        }

        /// The next byte; nil after the last.
        public mutating func next() async throws -> UInt8? {
            try await next(isolation: nil)
        }

        /// Like `next()`, but runs on the actor of the caller.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            if position == piece.count {
                guard let data = try await chunks.next(isolation: actor) else { return nil }
                piece = [UInt8](data)
                position = 0
            }
            defer { position += 1 }
            return piece[position]
        }
    }
}

/// A body in the pieces in which it is received.
public struct ResponseChunks: AsyncSequence, Sendable {
    /// A piece; never empty.
    public typealias Element = Data
    /// Any error of the request.
    public typealias Failure = any Error

    let reader: Locked<BodyReader?>

    /// The pieces.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader.withLock { $0.take() }) }

    /// Reads the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil if the body has another reader.
        let reader: BodyReader?

        /// The next piece; nil after the last.
        public mutating func next() async throws -> Data? {
            try await next(isolation: nil)
        }

        /// Like `next()`, but runs on the actor of the caller.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            guard let reader else { throw BodyReadingError.readTwice }
            return try await reader.next()
        }
    }
}

/// The lines of a body, as they are received.
public struct ResponseLines: AsyncSequence, Sendable {
    /// A line without its end.
    public typealias Element = String
    /// Any error of the request.
    public typealias Failure = any Error

    private let reader: Locked<BodyReader?>
    private let limit: Int

    init(_ reader: Locked<BodyReader?>, limit: Int) {
        self.reader = reader
        self.limit = limit
    }

    /// The lines.
    public func makeAsyncIterator() -> Iterator {
        Iterator(ResponseChunks(reader: reader).makeAsyncIterator(), limit: limit)
    }

    /// Reads the lines.
    public struct Iterator: AsyncIteratorProtocol {
        private var chunks: ResponseChunks.Iterator
        private var lines: LineSplitter
        private var isOver = false

        init(_ chunks: ResponseChunks.Iterator, limit: Int) {
            self.chunks = chunks
            lines = LineSplitter(limit: limit)
        }

        /// The next line; nil after the last.
        public mutating func next() async throws -> String? {
            try await next(isolation: nil)
        }

        /// Like `next()`, but runs on the actor of the caller.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
            while !isOver {
                if let line = try lines.next() { return String(decoding: line, as: UTF8.self) }
                if let chunk = try await chunks.next(isolation: actor) {
                    lines.feed(chunk)
                } else {
                    isOver = true
                    return lines.last().map { String(decoding: $0, as: UTF8.self) }
                }
            }
            return nil
        }
    }
}

/// Splits pieces of bytes into lines, which end with LF, CR or CR LF.
///
/// After a CR the line is complete at once; a following LF is skipped when it comes.
struct LineSplitter: Sendable {
    private let limit: Int
    private var piece: [UInt8] = []
    private var position = 0
    /// The beginning of a line whose end is in a later piece.
    private var begun: [UInt8] = []
    private var wasReturn = false

    /// - Parameter limit: the most bytes of a line.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next piece, after `next()` has returned nil.
    mutating func feed(_ data: Data) {
        piece = [UInt8](data)
        position = 0
    }

    /// The next line without its end; nil if its end is not in the piece.
    mutating func next() throws(BodyReadingError) -> [UInt8]? {
        if wasReturn, position < piece.count {
            wasReturn = false
            if piece[position] == Self.lineFeed { position += 1 }
        }
        let rest = piece[position...]
        let end = rest.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
        guard begun.count + (end ?? rest.endIndex) - position <= limit else {
            throw .tooLong(limit: limit)
        }
        begun.append(contentsOf: rest[..<(end ?? rest.endIndex)])
        guard let end else {
            position = piece.count
            return nil
        }
        wasReturn = piece[end] == Self.carriageReturn
        position = end + 1
        defer { begun = [] }
        return begun
    }

    /// The last line, if the bytes end without an end of line.
    mutating func last() -> [UInt8]? {
        defer { begun = [] }
        return begun.isEmpty ? nil : begun
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}

/// Why a body cannot be read while it is received.
///
/// The numbers of the cases never change.
public enum BodyReadingError: NumberedError, Hashable, Sendable {
    /// 1: the operation was started before, writes its body to a stream, or has a reader already.
    case bodyGoesElsewhere
    /// 2: the body has, or had, another reader.
    case readTwice
    /// 3: a line or an event is longer than the limit in bytes.
    case tooLong(limit: Int)
    /// 4: the response is no event stream: its status is not 200, or its type is another one.
    case notAnEventStream(status: Int, type: String?)
    /// 5: the request was tried again after bytes of its first response had been read.
    case triedAgain
    /// 6: no longer thrown: a transport of an earlier version could not wait for the reader.
    case transportCannotWait

    /// `OperationNetworking.BodyReadingError`.
    public static var errorDomain: String { "OperationNetworking.BodyReadingError" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .bodyGoesElsewhere:
            (
                1,
                "The body is stored or written elsewhere. Ask for the bytes before the request is "
                    + "started, and set neither an output stream nor a closure that takes them."
            )
        case .readTwice:
            (2, "The body can be read once, and has a reader already.")
        case .tooLong(let limit):
            (
                3,
                "The server sent more than \(limit) bytes without an end of the line or event. Set a "
                    + "higher limit if that is expected."
            )
        case .notAnEventStream(let status, let type):
            (
                4,
                "The response is no event stream: its status is \(status) and its type "
                    + "\(type?.printable ?? "missing"). Its bytes may say why."
            )
        case .triedAgain: (5, "The request was tried again after a part of the body had been read.")
        case .transportCannotWait:
            (6, "The transport cannot be suspended for a reader.")
        }
    }
}
