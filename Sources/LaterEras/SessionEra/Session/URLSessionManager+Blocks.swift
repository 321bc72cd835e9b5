public import CurlConnection
public import Foundation
public import FoundationNetworking
public import SessionTasks

/// The blocks for the delegate's methods. A block replaces the one before; nil removes it. They are
/// called on the delegate queue. A question whose block was not set when it came up gets the
/// default answer.
extension URLSessionManager {
    /// Called when the session has become invalid, before the notification. The error is
    /// always nil.
    public func setSessionDidBecomeInvalidBlock(
        _ block: (@Sendable (URLSession, (any Error)?) -> Void)?
    ) {
        change { $0.blocks.sessionDidBecomeInvalid = block }
    }

    /// Called for server trust and client certificates, instead of the challenge handler.
    ///
    /// What it answers about a server counts for that server until a block about challenges or the
    /// policy is set. It counts for an hour at most, and never when the server's certificate is out
    /// of date.
    public func setSessionDidReceiveAuthenticationChallenge(
        _ block: (
            @Sendable (URLSession, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    ) {
        changeTrust { $0.blocks.sessionChallenge = block }
    }

    /// Called for a body stream to send, first and again; without a block the request's own
    /// stream is used. Nil fails the task with `URLError.requestBodyStreamExhausted`.
    public func setTaskNeedNewBodyStreamBlock(
        _ block: (@Sendable (URLSession, SessionTask) -> InputStream?)?
    ) {
        change { $0.blocks.needNewBodyStream = block }
    }

    /// Called for a redirect; returns the request to send, or nil to take the redirect itself as
    /// the response. A proposed request to another origin has no credentials any more; see
    /// `forwardsCredentialsToOtherOrigins`.
    public func setTaskWillPerformHTTPRedirectionBlock(
        _ block: (@Sendable (URLSession, SessionTask, URLResponse, URLRequest) -> URLRequest?)?
    ) {
        change { $0.blocks.willRedirect = block }
    }

    /// Called for a challenge: Basic, Digest and the others of HTTP and, where no session block is
    /// set, server trust and client certificates. Its result answers the challenge; after
    /// `.handlerAnswers` it calls the completion block later.
    public func setAuthenticationChallengeHandler(
        _ handler: (
            @Sendable (
                URLSession, SessionTask, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> AuthenticationChallengeAnswer
        )?
    ) {
        changeTrust { $0.blocks.challengeHandler = handler }
    }

    /// Called with the bytes sent now, in all, and to be sent; -1 where that is unknown.
    public func setTaskDidSendBodyDataBlock(
        _ block: (@Sendable (URLSession, SessionTask, Int64, Int64, Int64) -> Void)?
    ) {
        change { $0.blocks.didSendBodyData = block }
    }

    /// Called when a task has ended and is no longer in `tasks`; its completion handler may be
    /// called later.
    public func setTaskDidComplete(
        _ block: (@Sendable (URLSession, SessionTask, (any Error)?) -> Void)?
    ) {
        change { $0.blocks.didComplete = block }
    }

    /// Called with the response of a data task. `.cancel` cancels the task, before a byte
    /// of its body is read; `.becomeDownload` makes a download of it.
    public func setDataTaskDidReceiveResponseBlock(
        _ block: (
            @Sendable (URLSession, SessionDataTask, URLResponse) -> URLSession.ResponseDisposition
        )?
    ) {
        change { $0.blocks.didReceiveResponse = block }
    }

    /// Called with each piece of a data task's body.
    public func setDataTaskDidReceiveDataBlock(
        _ block: (@Sendable (URLSession, SessionDataTask, Data) -> Void)?
    ) {
        change { $0.blocks.didReceiveData = block }
    }

    /// Called with the temporary file of any download; the URL it returns takes precedence over the
    /// task's own destination.
    public func setDownloadTaskDidFinishDownloadingBlock(
        _ block: (@Sendable (URLSession, SessionDownloadTask, URL) -> URL?)?
    ) {
        change { $0.blocks.didFinishDownloading = block }
    }

    /// Called with the bytes written now, in all, and expected; -1 where that is unknown.
    public func setDownloadTaskDidWriteDataBlock(
        _ block: (@Sendable (URLSession, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    ) {
        change { $0.blocks.didWriteData = block }
    }

    /// Called when a download is continued, with the offset and the whole length; -1 where that is
    /// unknown.
    public func setDownloadTaskDidResumeBlock(
        _ block: (@Sendable (URLSession, SessionDownloadTask, Int64, Int64) -> Void)?
    ) {
        change { $0.blocks.didResume = block }
    }
}

// Blocks about metrics, the cache and downloads, and one that is never called.
extension URLSessionManager {
    /// Called with the times of a task, once, before its end is reported. The metrics are never nil; the type is AFNetworking's.
    public func setTaskDidFinishCollectingMetricsBlock(
        _ block: (@Sendable (URLSession, SessionTask, RequestMetrics?) -> Void)?
    ) {
        change { $0.blocks.didFinishCollecting = block }
    }

    /// Called with what may be stored of a complete response; returns what is stored.
    ///
    /// A response whose storage policy is `.notAllowed` is not stored.
    public func setDataTaskWillCacheResponseBlock(
        _ block: (@Sendable (URLSession, SessionDataTask, CachedURLResponse) -> CachedURLResponse)?
    ) {
        change { $0.blocks.willCacheResponse = block }
    }

    /// Called when a data task has become a download, by the response block.
    ///
    /// The download has the data task's handlers; without a destination from
    /// `setDownloadTaskDidFinishDownloadingBlock` its file is removed at the end.
    public func setDataTaskDidBecomeDownloadTaskBlock(
        _ block: (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)?
    ) {
        change { $0.blocks.didBecomeDownload = block }
    }

    /// Never called (LX-20, UM-27).
    @available(*, deprecated, message: "Linux has no background sessions (LX-20)")
    public func setDidFinishEventsForBackgroundURLSessionBlock(
        _ block: (@Sendable (URLSession) -> Void)?
    ) {}
}
