/// The lines of a body, as they come.
public struct ResponseLines: AsyncSequence, Sendable {
    /// A line without its end.
    public typealias Element = String
    /// Any error of the request.
    public typealias Failure = any Error

    private let reading: BodyReading
    private let limit: Int

    init(_ reading: BodyReading, limit: Int) {
        self.reading = reading
        self.limit = limit
    }

    /// The lines.
    public func makeAsyncIterator() -> Iterator {
        Iterator(ResponseChunks(reading: reading).makeAsyncIterator(), limit: limit)
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

        /// The same, for the caller's actor.
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
