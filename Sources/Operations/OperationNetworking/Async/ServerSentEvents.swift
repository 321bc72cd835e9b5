import Foundation
import FoundationNetworking
import HTTPSemantics

/// The server-sent events of a body, as they come.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// Any error of the request.
    public typealias Failure = any Error

    private let reading: BodyReading
    private let refusal: BodyReadingError?
    private let limit: Int

    init(_ reading: BodyReading, _ response: URLResponse, limit: Int) {
        self.reading = reading
        self.limit = limit
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let type = response.mimeType
        let isOne = status == 200 && type?.lowercased() == "text/event-stream"
        refusal = isOne ? nil : .notAnEventStream(status: status, type: type?.printable)
    }

    /// The events. A response that is no event stream keeps its body for another reader.
    public func makeAsyncIterator() -> Iterator {
        guard let refusal else {
            return Iterator(
                .success(ResponseChunks(reading: reading).makeAsyncIterator()), limit: limit)
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

        /// The next event; nil after the last. What follows the last empty line is no event.
        public mutating func next() async throws -> ServerSentEvent? {
            try await next(isolation: nil)
        }

        /// The same, for the caller's actor.
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
