import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics

/// What a caller's blocks an operation holds.
struct Blocks {
    typealias Progress = @Sendable (Int64, Int64, Int64) -> Void
    typealias Metrics = @Sendable (RequestMetrics) -> Void

    // The end drops these: they only report.
    var uploadProgress: Progress?
    var downloadProgress: Progress?
    // Tasks', which are told at once, on the network thread.
    var uploadStreams: ProgressStreams?
    var downloadStreams: ProgressStreams?
    var metrics: Metrics?
    var retry: (@Sendable (RetryDecision) -> Void)?
    // What decides stays as long as the operation: a copy made after the end must be no laxer.
    var challenge: (@Sendable (URLConnection, URLAuthenticationChallenge) -> Void)?
    var cacheResponse: (@Sendable (URLConnection, CachedURLResponse) -> CachedURLResponse?)?
    var redirectResponse: (@Sendable (URLConnection, URLRequest, URLResponse?) -> URLRequest?)?

    static let none = Shared(Blocks())

    /// Whether one of them decides what is sent, followed or stored.
    var haveDecisions: Bool {
        challenge != nil || cacheResponse != nil || redirectResponse != nil
    }

    /// Without the blocks that only report.
    var decisions: Blocks {
        var blocks = self
        blocks.uploadProgress = nil
        blocks.downloadProgress = nil
        blocks.uploadStreams = nil
        blocks.downloadStreams = nil
        blocks.metrics = nil
        blocks.retry = nil
        return blocks
    }
}
