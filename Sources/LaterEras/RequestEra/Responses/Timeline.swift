public import Foundation

/// Four instants of a request and the four durations between them.
///
/// Instants are seconds since 1 January 2001, 0:00 UTC; durations are seconds.
public struct Timeline: Sendable {
    /// The first `resume()`, or the beginning of the last retry.
    public let requestStartTime: TimeInterval
    /// The first bytes of the response; of an upload the first bytes sent.
    public let initialResponseTime: TimeInterval
    /// The end of the task.
    public let requestCompletedTime: TimeInterval
    /// The end of this handler's serialization.
    public let serializationCompletedTime: TimeInterval

    /// From the start to the first bytes.
    public let latency: TimeInterval
    /// From the start to the end of the task.
    public let requestDuration: TimeInterval
    /// From the end of the task to the end of serialization.
    public let serializationDuration: TimeInterval
    /// From the start to the end of serialization.
    public let totalDuration: TimeInterval

    /// A timeline of four instants.
    public init(
        requestStartTime: TimeInterval = 0, initialResponseTime: TimeInterval = 0,
        requestCompletedTime: TimeInterval = 0, serializationCompletedTime: TimeInterval = 0
    ) {
        self.requestStartTime = requestStartTime
        self.initialResponseTime = initialResponseTime
        self.requestCompletedTime = requestCompletedTime
        self.serializationCompletedTime = serializationCompletedTime
        latency = initialResponseTime - requestStartTime
        requestDuration = requestCompletedTime - requestStartTime
        serializationDuration = serializationCompletedTime - requestCompletedTime
        totalDuration = serializationCompletedTime - requestStartTime
    }
}

extension Timeline: CustomStringConvertible, CustomDebugStringConvertible {
    /// The durations with three decimals.
    public var description: String { "Timeline: { \(durations) }" }

    /// The instants and the durations with three decimals.
    public var debugDescription: String {
        let instants = [
            ("Request Start Time", requestStartTime),
            ("Initial Response Time", initialResponseTime),
            ("Request Completed Time", requestCompletedTime),
            ("Serialization Completed Time", serializationCompletedTime),
        ]
        let texts = instants.map { "\"\($0)\": \(Self.text($1))" }
        return "Timeline: { \(texts.joined(separator: ", ")), \(durations) }"
    }

    private var durations: String {
        let durations = [
            ("Latency", latency), ("Request Duration", requestDuration),
            ("Serialization Duration", serializationDuration), ("Total Duration", totalDuration),
        ]
        return durations.map { "\"\($0)\": \(Self.text($1)) secs" }.joined(separator: ", ")
    }

    private static func text(_ seconds: TimeInterval) -> String {
        String(format: "%.3f", seconds)
    }
}
