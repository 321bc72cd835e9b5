public import CurlConnection
public import Foundation
public import FoundationNetworking

/// What a handler with a serializer, such as the one given to `responseJSON`, gets after a download.
public struct DownloadResponse<Value> {
    /// The request that was sent, as the adapter left it.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// Where the file was written; without a destination closure it is still there.
    public let temporaryURL: URL?
    /// Where the destination closure had it moved.
    public let destinationURL: URL?
    /// What a download that ended early can be resumed with.
    public let resumeData: Data?
    /// The serialized file, or the first error.
    public let result: Result<Value>
    /// When things happened.
    public let timeline: Timeline
    /// Times and byte counts of each HTTP request that the last task sent (redirects included). Nil if the last attempt
    /// had no task, for instance because the adapter threw.
    public internal(set) var metrics: RequestMetrics?

    /// The value of a success.
    public var value: Value? { result.value }
    /// The error of a failure.
    public var error: (any Error)? { result.error }

    /// A response of these parts.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?,
        resumeData: Data?, result: Result<Value>, timeline: Timeline = Timeline()
    ) {
        self.request = request
        self.response = response
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.resumeData = resumeData
        self.result = result
        self.timeline = timeline
    }
}

extension DownloadResponse: Sendable where Value: Sendable {}

extension DownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// `SUCCESS` or `FAILURE` with the value or the error.
    public var description: String { result.debugDescription }

    /// The parts, each after a label, without the metrics. Secrets are shown as `REDACTED`.
    public var debugDescription: String {
        """
        \(ExchangeText.text(request, response))
        [TemporaryURL]: \(temporaryURL?.path ?? "nil")
        [DestinationURL]: \(destinationURL?.path ?? "nil")
        [ResumeData]: \(resumeData?.count ?? 0) bytes
        [Result]: \(result)
        [Timeline]: \(timeline.debugDescription)
        """
    }
}

extension DownloadResponse {
    /// Returns a response whose value is what the closure makes of this response's value. A failure stays as it is.
    public func map<T>(_ transform: (Value) -> T) -> DownloadResponse<T> {
        with(result.map(transform))
    }

    /// Returns a response whose value is what the closure makes of this response's value. If the closure throws, its
    /// error is the response's. A failure stays as it is.
    public func flatMap<T>(_ transform: (Value) throws -> T) -> DownloadResponse<T> {
        with(result.flatMap(transform))
    }

    /// Returns a response whose error is what the closure makes of this response's error. A success stays as it is.
    public func mapError<E: Error>(_ transform: (any Error) -> E) -> DownloadResponse {
        with(result.mapError(transform))
    }

    /// Returns a response whose error is what the closure returns or throws, given this response's error. A success
    /// stays as it is.
    public func flatMapError<E: Error>(_ transform: (any Error) throws -> E) -> DownloadResponse {
        with(result.flatMapError(transform))
    }

    private func with<T>(_ result: Result<T>) -> DownloadResponse<T> {
        var other = DownloadResponse<T>(
            request: request, response: response, temporaryURL: temporaryURL,
            destinationURL: destinationURL, resumeData: resumeData, result: result,
            timeline: timeline)
        other.metrics = metrics
        return other
    }
}

/// What a plain `response { }` of a download gets: nothing is serialized.
public struct DefaultDownloadResponse: Sendable {
    /// The request that was sent, as the adapter left it.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// Where the file was written; without a destination closure it is still there.
    public let temporaryURL: URL?
    /// Where the destination closure had it moved.
    public let destinationURL: URL?
    /// What a download that ended early can be resumed with.
    public let resumeData: Data?
    /// The first error.
    public let error: (any Error)?
    /// When things happened; nothing was serialized.
    public let timeline: Timeline
    /// Times and byte counts of each HTTP request that the last task sent (redirects included). Nil if the last attempt
    /// had no task, for instance because the adapter threw.
    public internal(set) var metrics: RequestMetrics?

    /// A response of these parts.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?,
        resumeData: Data?, error: (any Error)?, timeline: Timeline = Timeline()
    ) {
        self.request = request
        self.response = response
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.resumeData = resumeData
        self.error = error
        self.timeline = timeline
    }
}
