public import Foundation
public import FoundationNetworking
import Locking
public import SessionTasks
import Synchronization

// The closures that replace what the delegate does by itself. They are called on the session's
// delegate queue, which they must not block, one at a time. A question whose closure was
// not set when it came up gets the default answer.
//
// Where module Alamofire is imported, those with a task are hidden by its own, whose tasks have Foundation's types.
extension SessionDelegate {
    // MARK: - The session

    /// The session has ended.
    @preconcurrency
    public var sessionDidBecomeInvalidWithError: (@Sendable (URLSession, (any Error)?) -> Void)? {
        get { closure() }
        set { set(newValue) }
    }

    /// A challenge about the whole session: a server's trust, or a client certificate. Without it the
    /// task is asked.
    ///
    /// What a closure about challenges, an override or the closure of a policy answers about a
    /// server counts for that server until such a closure is set. It counts for an hour at most,
    /// and never when the server's certificate is out of date. Other policies judge each request,
    /// and no closure is asked for them.
    @preconcurrency
    public var sessionDidReceiveChallenge:
        (
            @Sendable (URLSession, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    {
        get { closure() }
        set { set(newValue, .challenge) }
    }

    /// Like `sessionDidReceiveChallenge`, but the closure calls a completion with its answer, then or later.
    @preconcurrency
    public var sessionDidReceiveChallengeWithCompletion:
        (
            @Sendable (
                URLSession, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Void
        )?
    {
        get { closure() }
        set { set(newValue, .challenge) }
    }

    /// Never called: there are no background sessions on Linux.
    @preconcurrency
    public var sessionDidFinishEventsForBackgroundURLSession: (@Sendable (URLSession) -> Void)? {
        get { closure() }
        set { set(newValue) }
    }

    // MARK: - Any task

    /// Returns the request that is sent after a redirect, with what the closure changes in it; nil
    /// makes the redirect the response.
    @_disfavoredOverload
    @preconcurrency
    public var taskWillPerformHTTPRedirection:
        (@Sendable (URLSession, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    {
        get { closure() }
        set { set(newValue, .redirect) }
    }

    /// Like `taskWillPerformHTTPRedirection`, but the closure calls a completion with its answer, then or later.
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
        get { closure() }
        set { set(newValue, .redirect) }
    }

    /// A challenge, instead of the request's credential and the policy of the host.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidReceiveChallenge:
        (
            @Sendable (URLSession, SessionTask, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    {
        get { closure() }
        set { set(newValue, .challenge) }
    }

    /// Like `taskDidReceiveChallenge`, but the closure calls a completion with its answer, then or later.
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
        get { closure() }
        set { set(newValue, .challenge) }
    }

    /// Returns the stream of a streamed body, each time it is sent; nil fails the request.
    @_disfavoredOverload
    @preconcurrency
    public var taskNeedNewBodyStream: (@Sendable (URLSession, SessionTask) -> InputStream?)? {
        get { closure() }
        set { set(newValue) }
    }

    /// Like `taskNeedNewBodyStream`, but the closure calls a completion with its answer, then or later.
    @_disfavoredOverload
    @preconcurrency
    public var taskNeedNewBodyStreamWithCompletion:
        (
            @Sendable (
                URLSession, SessionTask, @escaping @Sendable (InputStream?) -> Void
            ) -> Void
        )?
    {
        get { closure() }
        set { set(newValue) }
    }

    /// Bytes of a body were sent: these, all so far, all there are (-1 where unknown). The
    /// request's upload progress does not change then.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidSendBodyData:
        (@Sendable (URLSession, SessionTask, Int64, Int64, Int64) -> Void)?
    {
        get { closure() }
        set { set(newValue, .sent) }
    }

    /// A request's last task has ended; handlers come later.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidComplete: (@Sendable (URLSession, SessionTask, (any Error)?) -> Void)? {
        get { closure() }
        set { set(newValue) }
    }

    // MARK: - Data tasks

    /// What becomes of a response.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidReceiveResponse:
        (@Sendable (URLSession, SessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    {
        get { closure() }
        set { set(newValue, .disposition) }
    }

    /// Like `dataTaskDidReceiveResponse`, but the closure calls a completion with its answer, then or later.
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
        get { closure() }
        set { set(newValue, .disposition) }
    }

    /// A data task became a download; its request ends with it.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidBecomeDownloadTask:
        (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)?
    {
        get { closure() }
        set { set(newValue, .becameDownload) }
    }

    /// A piece of the body, which the request then neither stores nor counts.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidReceiveData: (@Sendable (URLSession, SessionDataTask, Data) -> Void)? {
        get { closure() }
        set { set(newValue, .data) }
    }

    /// What is stored of a response; nil stores nothing.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskWillCacheResponse:
        (@Sendable (URLSession, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    {
        get { closure() }
        set { set(newValue, .store) }
    }

    /// Like `dataTaskWillCacheResponse`, but the closure calls a completion with its answer, then or later.
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
        get { closure() }
        set { set(newValue, .store) }
    }

    // MARK: - Downloads

    /// The file, which must be moved inside the call. The destination is not asked, and the request has
    /// no file.
    @_disfavoredOverload
    @preconcurrency
    public var downloadTaskDidFinishDownloadingToURL:
        (@Sendable (URLSession, SessionDownloadTask, URL) -> Void)?
    {
        get { closure() }
        set { set(newValue, .file) }
    }

    /// Bytes were written: these, all so far, all there are (-1 where unknown). The request's
    /// progress does not change then.
    @_disfavoredOverload
    @preconcurrency
    public var downloadTaskDidWriteData:
        (@Sendable (URLSession, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    {
        get { closure() }
        set { set(newValue, .wrote) }
    }

    /// A download continues at so many bytes, of so many.
    @_disfavoredOverload
    @preconcurrency
    public var downloadTaskDidResumeAtOffset:
        (@Sendable (URLSession, SessionDownloadTask, Int64, Int64) -> Void)?
    {
        get { closure() }
        set { set(newValue, .resumed) }
    }

    // MARK: - Storage

    private func closure<Closure>(_ name: String = #function) -> Closure? {
        closures.withLock { $0[name]?.closure } as? Closure
    }

    /// - Parameter kinds: the events and questions that the closure replaces the delegate's work for.
    private func set<Closure: Sendable>(
        _ closure: Closure?, _ kinds: TaskInterest = [], _ name: String = #function
    ) {
        let old = closures.withLock { closures in
            let old = closures[name]
            closures[name] = closure.map { SetClosure(closure: $0, kinds: kinds) }
            if !isSubclass {
                let all = closures.values.reduce(into: TaskInterest()) { $0.formUnion($1.kinds) }
                interest.store(all.rawValue, ordering: .relaxed)
            }
            return old
        }
        // What is replaced is released after the lock.
        withExtendedLifetime(old) {}
        // The closure may judge servers in another way than was answered before.
        if kinds == .challenge {
            state.withLock { $0.manager }?.taskSession.forgetAnswersAboutServers()
        }
    }

    /// Whether a closure is asked about challenges, and so about servers.
    var answersChallenges: Bool {
        closures.withLock { $0.values.contains { $0.kinds == .challenge } }
    }

    var answersSessionChallenges: Bool {
        sessionDidReceiveChallenge != nil || sessionDidReceiveChallengeWithCompletion != nil
    }

    var givesStreams: Bool {
        taskNeedNewBodyStream != nil || taskNeedNewBodyStreamWithCompletion != nil
    }
}
