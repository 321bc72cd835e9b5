public import Foundation
public import FoundationNetworking
import Locking
public import SessionTasks
import Synchronization

// The closures that replace what the delegate does by itself. They are called on the session's delegate
// queue, which they must not block, one at a time (AL-36).
//
// Those with a task give way to the ones of the same names in module Alamofire, whose tasks have Foundation's types.
extension SessionDelegate {
    // MARK: - The session

    /// The session has ended.
    @preconcurrency
    public var sessionDidBecomeInvalidWithError: (@Sendable (URLSession, (any Error)?) -> Void)? {
        get { current.all.sessionDidBecomeInvalidWithError }
        set { set(\.sessionDidBecomeInvalidWithError, newValue) }
    }

    /// A challenge about the whole session: a server's trust, or a client certificate. Without it the
    /// task is asked.
    ///
    /// What a closure about challenges, an override or the closure of a policy answers about a server counts for that
    /// server from then on: until such a closure is set, for an hour at most, and never when the server's certificate is
    /// out of date. Other policies are judged for each request, and no closure is asked for them.
    @preconcurrency
    public var sessionDidReceiveChallenge:
        (
            @Sendable (URLSession, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    {
        get { current.all.sessionDidReceiveChallenge }
        set { setJudge(\.sessionDidReceiveChallenge, newValue) }
    }

    /// The same, answered later.
    @preconcurrency
    public var sessionDidReceiveChallengeWithCompletion:
        (
            @Sendable (
                URLSession, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Void
        )?
    {
        get { current.all.sessionDidReceiveChallengeWithCompletion }
        set { setJudge(\.sessionDidReceiveChallengeWithCompletion, newValue) }
    }

    /// Never called: there are no background sessions on Linux.
    @preconcurrency
    public var sessionDidFinishEventsForBackgroundURLSession: (@Sendable (URLSession) -> Void)? {
        get { current.all.sessionDidFinishEventsForBackgroundURLSession }
        set { set(\.sessionDidFinishEventsForBackgroundURLSession, newValue) }
    }
    // MARK: - Any task

    /// Gives the request that a redirect leads to; nil makes the redirect the response. What the closure
    /// puts into it is sent.
    @_disfavoredOverload
    @preconcurrency
    public var taskWillPerformHTTPRedirection:
        (@Sendable (URLSession, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    {
        get { current.all.taskWillPerformHTTPRedirection }
        set { set(\.taskWillPerformHTTPRedirection, newValue) }
    }

    /// The same, answered later.
    @_disfavoredOverload
    @preconcurrency
    public var taskWillPerformHTTPRedirectionWithCompletion:
        (
            @Sendable (
                URLSession, SessionTask, HTTPURLResponse, URLRequest,
                @escaping @Sendable (URLRequest?) -> Void
            ) -> Void
        )?
    {
        get { current.all.taskWillPerformHTTPRedirectionWithCompletion }
        set { set(\.taskWillPerformHTTPRedirectionWithCompletion, newValue) }
    }

    /// A challenge, in place of the request's credential and the policy of the host.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidReceiveChallenge:
        (
            @Sendable (URLSession, SessionTask, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    {
        get { current.all.taskDidReceiveChallenge }
        set { setJudge(\.taskDidReceiveChallenge, newValue) }
    }

    /// The same, answered later.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidReceiveChallengeWithCompletion:
        (
            @Sendable (
                URLSession, SessionTask, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Void
        )?
    {
        get { current.all.taskDidReceiveChallengeWithCompletion }
        set { setJudge(\.taskDidReceiveChallengeWithCompletion, newValue) }
    }

    /// Gives the stream of a streamed body, each time it is sent; nil fails the request.
    @_disfavoredOverload
    @preconcurrency
    public var taskNeedNewBodyStream: (@Sendable (URLSession, SessionTask) -> InputStream?)? {
        get { current.all.taskNeedNewBodyStream }
        set { set(\.taskNeedNewBodyStream, newValue) }
    }

    /// The same, answered later.
    @_disfavoredOverload
    @preconcurrency
    public var taskNeedNewBodyStreamWithCompletion:
        (
            @Sendable (
                URLSession, SessionTask, @escaping @Sendable (InputStream?) -> Void
            ) -> Void
        )?
    {
        get { current.all.taskNeedNewBodyStreamWithCompletion }
        set { set(\.taskNeedNewBodyStreamWithCompletion, newValue) }
    }

    /// Bytes of a body were sent: these, all so far, all there are (-1 where unknown). The request's
    /// upload progress stands still.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidSendBodyData:
        (@Sendable (URLSession, SessionTask, Int64, Int64, Int64) -> Void)?
    {
        get { current.all.taskDidSendBodyData }
        set { set(\.taskDidSendBodyData, newValue) }
    }

    /// A request's last task has ended; handlers come later.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidComplete: (@Sendable (URLSession, SessionTask, (any Error)?) -> Void)? {
        get { current.all.taskDidComplete }
        set { set(\.taskDidComplete, newValue) }
    }

    // MARK: - Data tasks

    /// What becomes of a response.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidReceiveResponse:
        (@Sendable (URLSession, SessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    {
        get { current.all.dataTaskDidReceiveResponse }
        set { set(\.dataTaskDidReceiveResponse, newValue) }
    }

    /// The same, answered later.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidReceiveResponseWithCompletion:
        (
            @Sendable (
                URLSession, SessionDataTask, URLResponse,
                @escaping @Sendable (URLSession.ResponseDisposition) -> Void
            ) -> Void
        )?
    {
        get { current.all.dataTaskDidReceiveResponseWithCompletion }
        set { set(\.dataTaskDidReceiveResponseWithCompletion, newValue) }
    }

    /// A data task became a download; its request ends with it.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidBecomeDownloadTask:
        (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)?
    {
        get { current.all.dataTaskDidBecomeDownloadTask }
        set { set(\.dataTaskDidBecomeDownloadTask, newValue) }
    }

    /// A piece of the body, which the request then neither keeps nor counts.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidReceiveData: (@Sendable (URLSession, SessionDataTask, Data) -> Void)? {
        get { current.all.dataTaskDidReceiveData }
        set { set(\.dataTaskDidReceiveData, newValue) }
    }

    /// What is stored of a response; nil stores nothing.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskWillCacheResponse:
        (@Sendable (URLSession, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    {
        get { current.all.dataTaskWillCacheResponse }
        set { set(\.dataTaskWillCacheResponse, newValue) }
    }

    /// The same, answered later.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskWillCacheResponseWithCompletion:
        (
            @Sendable (
                URLSession, SessionDataTask, CachedURLResponse,
                @escaping @Sendable (CachedURLResponse?) -> Void
            ) -> Void
        )?
    {
        get { current.all.dataTaskWillCacheResponseWithCompletion }
        set { set(\.dataTaskWillCacheResponseWithCompletion, newValue) }
    }

    // MARK: - Downloads

    /// The file, which must be moved inside the call. The destination is not asked, and the request has
    /// no file.
    @_disfavoredOverload
    @preconcurrency
    public var downloadTaskDidFinishDownloadingToURL:
        (@Sendable (URLSession, SessionDownloadTask, URL) -> Void)?
    {
        get { current.all.downloadTaskDidFinishDownloadingToURL }
        set { set(\.downloadTaskDidFinishDownloadingToURL, newValue) }
    }

    /// Bytes were written: these, all so far, all there are (-1 where unknown). The request's progress
    /// stands still.
    @_disfavoredOverload
    @preconcurrency
    public var downloadTaskDidWriteData:
        (@Sendable (URLSession, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    {
        get { current.all.downloadTaskDidWriteData }
        set { set(\.downloadTaskDidWriteData, newValue) }
    }

    /// A download goes on from so many bytes, of so many.
    @_disfavoredOverload
    @preconcurrency
    public var downloadTaskDidResumeAtOffset:
        (@Sendable (URLSession, SessionDownloadTask, Int64, Int64) -> Void)?
    {
        get { current.all.downloadTaskDidResumeAtOffset }
        set { set(\.downloadTaskDidResumeAtOffset, newValue) }
    }

    private func set<Closure>(
        _ path: WritableKeyPath<SessionClosures, Closure>, _ closure: Closure
    ) {
        let old = closures.withLock { held in
            let old = held
            var new = old.all
            new[keyPath: path] = closure
            held = HeldClosures(new)
            if !isSubclass { interest.store(new.interest.rawValue, ordering: .relaxed) }
            return old
        }
        // What is replaced goes after the lock.
        withExtendedLifetime(old) {}
    }

    /// Sets a closure about challenges, which may judge servers otherwise than was answered before.
    private func setJudge<Closure>(
        _ path: WritableKeyPath<SessionClosures, Closure>, _ closure: Closure
    ) {
        set(path, closure)
        state.withLock { $0.manager }?.taskSession.forgetAnswersAboutServers()
    }
}
