public import CurlConnection
public import Foundation
public import FoundationNetworking

/// What a plain `response { }` of a data or upload request gets: nothing is serialized.
public struct DefaultDataResponse: Sendable {
    /// The request that was sent, as the adapter left it.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The body; nil if there was none, or if it went to a `stream` closure.
    public let data: Data?
    /// The first error.
    public let error: (any Error)?
    /// When things happened; nothing was serialized.
    public let timeline: Timeline
    /// Where the time went and how many bytes moved, by exchange; nil where no attempt had a task.
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

/// What a plain `response { }` of a download gets: nothing is serialized.
public struct DefaultDownloadResponse: Sendable {
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
    /// The first error.
    public let error: (any Error)?
    /// When things happened; nothing was serialized.
    public let timeline: Timeline
    /// Where the time went and how many bytes moved, by exchange; nil where no attempt had a task.
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
