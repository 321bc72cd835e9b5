public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// What a handler with a serializer, such as the one given to `responseJSON`, gets after a data or upload request.
public struct DataResponse<Value> {
    /// The request that was sent, as the adapter left it.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The body, empty if none was received; nil if it went to a `stream` closure or to `bytes()`.
    public let data: Data?
    /// The serialized body, or the first error.
    public let result: Result<Value>
    /// The instants of the request, with the end of this handler's serialization.
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

    /// The request, the response, both bodies, the result and the timeline, each after a label; without the metrics.
    /// Secrets are shown as `REDACTED`.
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
    /// Returns a response whose value is what the closure makes of this response's value. A failure stays as it is.
    public func map<T>(_ transform: (Value) -> T) -> DataResponse<T> {
        with(result.map(transform))
    }

    /// Returns a response whose value is what the closure makes of this response's value. If the closure throws, its
    /// error is the response's. A failure stays as it is.
    ///
    /// The closure returns a plain value. That of `flatMap` in Swift's own `Result` returns a whole result.
    public func flatMap<T>(_ transform: (Value) throws -> T) -> DataResponse<T> {
        with(result.flatMap(transform))
    }

    /// Returns a response whose error is what the closure makes of this response's error. A success stays as it is.
    public func mapError<E: Error>(_ transform: (any Error) -> E) -> DataResponse {
        with(result.mapError(transform))
    }

    /// Returns a response whose error is what the closure returns or throws, given this response's error. A success
    /// stays as it is.
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

/// What a plain `response { }` of a data or upload request gets: nothing is serialized.
public struct DefaultDataResponse: Sendable {
    /// The request that was sent, as the adapter left it.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The body, empty if none was received; nil if it went to a `stream` closure or to `bytes()`.
    public let data: Data?
    /// The first error.
    public let error: (any Error)?
    /// The instants of the request; nothing was serialized.
    public let timeline: Timeline
    /// Times and byte counts of each HTTP request that the last task sent (redirects included). Nil if the last attempt
    /// had no task, for instance because the adapter threw.
    public internal(set) var metrics: RequestMetrics?

    /// A response of these parts.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?,
        timeline: Timeline = Timeline()
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.error = error
        self.timeline = timeline
    }
}

/// The first lines of a response's `debugDescription`: the request and the server's response.
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
