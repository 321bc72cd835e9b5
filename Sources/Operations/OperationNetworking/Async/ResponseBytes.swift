public import Foundation
public import FoundationNetworking

/// The body of a response as it comes: bytes, or `chunks`, `lines` and `events` of it.
///
/// Only what is read is received: while the reader is behind, the socket is not read, and memory holds
/// at most about 1 MiB. A body that is not whole ends with an error, never as an end. The body has one
/// reader. The transfer ends with its iterator: by `break`, by an error that is thrown in the loop, by
/// the task's cancellation, or when this value is released before it was read.
///
/// ## Concurrency
/// Iterate in one task. Nothing blocks its thread.
public struct ResponseBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// Any error of the request.
    public typealias Failure = any Error

    /// The head of the response; its status is not judged.
    public let response: URLResponse
    let reading: BodyReading

    package init(_ channel: BodyChannel, _ response: URLResponse) {
        self.response = response
        reading = BodyReading(channel)
    }

    /// The bytes in the pieces in which they come; none is empty.
    public var chunks: ResponseChunks { ResponseChunks(reading: reading) }

    /// The lines, of at most 16 MiB each.
    public var lines: ResponseLines { lines(limit: Self.usualLimit) }

    /// The lines, without their ends LF, CR or CR LF; bytes that are no UTF-8 become U+FFFD. Empty
    /// lines count; what follows the last end counts where there is something.
    ///
    /// - Parameter limit: the most bytes of a line; a longer one is `BodyReadingError.tooLong`.
    public func lines(limit: Int) -> ResponseLines { ResponseLines(reading, limit: limit) }

    /// The server-sent events, of at most 16 MiB each.
    public var events: ServerSentEvents { events(limit: Self.usualLimit) }

    /// The server-sent events (WHATWG HTML, section 9.2).
    ///
    /// The first step throws `BodyReadingError.notAnEventStream` where the status is not 200 or the
    /// type not `text/event-stream`. Nothing connects again by itself.
    ///
    /// - Parameter limit: the most bytes of an event's data, or of a line; more is
    ///   `BodyReadingError.tooLong`, and so is an id or a type of more than 8,192 bytes.
    public func events(limit: Int) -> ServerSentEvents {
        ServerSentEvents(reading, response, limit: limit)
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

        /// The same, for the caller's actor.
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

/// A body in the pieces in which it comes.
public struct ResponseChunks: AsyncSequence, Sendable {
    /// A piece; never empty.
    public typealias Element = Data
    /// Any error of the request.
    public typealias Failure = any Error

    let reading: BodyReading

    /// The pieces.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reading.take()) }

    /// Reads the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil where there was another one.
        let reader: BodyReader?

        /// The next piece; nil after the last.
        public mutating func next() async throws -> Data? {
            try await next(isolation: nil)
        }

        /// The same, for the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            guard let reader else { throw BodyReadingError.readTwice }
            return try await reader.next()
        }
    }
}
