public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// What a serializing handler of a data or upload request gets.
public struct DataResponse<Value> {
    /// The request that was sent, as the adapter left it.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The body; nil if there was none, or if it went to a `stream` closure.
    public let data: Data?
    /// The serialized body, or the first error.
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
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, result: Result<Value>,
        timeline: Timeline = Timeline()
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.result = result
        self.timeline = timeline
    }
}

extension DataResponse: Sendable where Value: Sendable {}

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// `SUCCESS` or `FAILURE` with the value or the error.
    public var description: String { result.debugDescription }

    /// All parts, one a line; secrets are shown as `REDACTED`.
    public var debugDescription: String {
        """
        \(ExchangeText.text(request, response))
        [Response Body]: \n\(ShownBody.text(data)?.printableLines ?? "None")
        [Result]: \(result)
        [Timeline]: \(timeline.debugDescription)
        """
    }
}

extension DataResponse {
    /// Returns a response with the value that the closure makes of this one's.
    public func map<T>(_ transform: (Value) -> T) -> DataResponse<T> {
        with(result.map(transform))
    }

    /// Returns a response with the value that the closure makes of this one's, or with the error that it throws.
    public func flatMap<T>(_ transform: (Value) throws -> T) -> DataResponse<T> {
        with(result.flatMap(transform))
    }

    /// Returns a response with the error that the closure makes of this one's.
    public func mapError<E: Error>(_ transform: (any Error) -> E) -> DataResponse {
        with(result.mapError(transform))
    }

    /// Returns a response with the error that the closure returns or throws, given the error of this one.
    public func flatMapError<E: Error>(_ transform: (any Error) throws -> E) -> DataResponse {
        with(result.flatMapError(transform))
    }

    private func with<T>(_ result: Result<T>) -> DataResponse<T> {
        var other = DataResponse<T>(
            request: request, response: response, data: data, result: result, timeline: timeline)
        other.metrics = metrics
        return other
    }
}

/// The lines about a request and its response that the descriptions of responses begin with.
enum ExchangeText {
    static func text(_ request: URLRequest?, _ response: HTTPURLResponse?) -> String {
        let line = request.map { request in
            let url = request.url.map { Redaction.address($0.absoluteString) } ?? "nil"
            return "\(request.httpMethod ?? "GET") \(url)"
        }
        return """
            [Request]: \(line ?? "nil")
            [Request Body]: \n\(ShownBody.text(request?.httpBody) ?? "None")
            [Response]: \(response?.shown ?? "nil")
            """.printableLines
    }
}
