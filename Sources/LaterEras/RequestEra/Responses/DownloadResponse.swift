public import CurlConnection
public import Foundation
public import FoundationNetworking

/// What a serializing handler of a download gets.
public struct DownloadResponse<Value> {
    /// The request that was sent, as the adapter left it.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// Where the file was written first.
    public let temporaryURL: URL?
    /// Where the destination closure had it moved.
    public let destinationURL: URL?
    /// What a download that ended early can be resumed with.
    public let resumeData: Data?
    /// The serialized file, or the first error.
    public let result: Result<Value>
    /// When things happened.
    public let timeline: Timeline
    /// Where the time went and how many bytes moved, by exchange; nil where no attempt had a task.
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

    /// All parts, one a line; secrets are shown as `REDACTED`.
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
    /// Returns a response with the value that the closure makes of this one's.
    public func map<T>(_ transform: (Value) -> T) -> DownloadResponse<T> {
        with(result.map(transform))
    }

    /// Returns a response with the value that the closure makes of this one's, or with the error that it throws.
    public func flatMap<T>(_ transform: (Value) throws -> T) -> DownloadResponse<T> {
        with(result.flatMap(transform))
    }

    /// Returns a response with the error that the closure makes of this one's.
    public func mapError<E: Error>(_ transform: (any Error) -> E) -> DownloadResponse {
        with(result.mapError(transform))
    }

    /// Returns a response with the error that the closure returns or throws, given the error of this one.
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
