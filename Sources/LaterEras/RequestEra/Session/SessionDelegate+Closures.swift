public import Foundation
public import FoundationNetworking
import Locking
public import SessionTasks
import Synchronization

// The closures that a program can set. Most replace what the delegate does by itself;
// `sessionDidBecomeInvalidWithError` and `taskDidComplete` replace nothing. All are called one at a time, on the
// session's delegate queue, which they must not block. A closure that decides something must be set before the
// decision is needed, else the default is used.
//
// In a file that imports module Alamofire, its properties of the same names come first: their closures take the task
// as a `URLSessionTask`.
extension SessionDelegate {
    // MARK: - The session

    /// The session has become invalid.
    @preconcurrency
    public var sessionDidBecomeInvalidWithError: (@Sendable (URLSession, (any Error)?) -> Void)? {
        get { closure() }
        set { set(newValue) }
    }

    /// Answers a challenge about the whole session: a server's trust, a client certificate, Negotiate or NTLM. If
    /// neither this nor `sessionDidReceiveChallengeWithCompletion` is set, `taskDidReceiveChallenge` is called instead.
    ///
    /// An answer about a server's trust is stored, also that of an overridden method or of a policy's closure
    /// (`customEvaluation`). Later requests to the same server use it. It is forgotten after an hour at the latest, and
    /// at once when a challenge closure is set or removed. Two answers are not stored: a cancellation, and one about a
    /// certificate that has expired.
    ///
    /// A policy without a closure is evaluated for each request. Challenge closures are called for the policy's hosts
    /// too. If a closure answers with a credential for the server's trust, the server is accepted, whatever the policy
    /// says. If it cancels, the request fails. After any other answer the policy decides.
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

    /// Like `sessionDidReceiveChallenge`, but the closure passes its answer to a completion, during the call or
    /// later.
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

    /// Returns the request that is sent after a redirect: the given one, or a changed one. If it returns nil, no request
    /// is sent, and the redirect is the response.
    @_disfavoredOverload
    @preconcurrency
    public var taskWillPerformHTTPRedirection:
        (@Sendable (URLSession, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    {
        get { closure() }
        set { set(newValue, .redirect) }
    }

    /// Like `taskWillPerformHTTPRedirection`, but the closure passes its answer to a completion, during the call or
    /// later.
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

    /// Answers a challenge of a task. While it is set, the request's credential and the closure of the host's policy
    /// are not used. While a session closure is set, challenges about the whole session (see
    /// `sessionDidReceiveChallenge`) do not come here.
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

    /// Like `taskDidReceiveChallenge`, but the closure passes its answer to a completion, during the call or
    /// later.
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

    /// Like `taskNeedNewBodyStream`, but the closure passes its answer to a completion, during the call or
    /// later.
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

    /// Bytes of a body were sent. The numbers are: bytes since the last call, bytes so far, bytes in all (-1 if unknown).
    /// While it is set, the request's upload progress is not updated.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidSendBodyData:
        (@Sendable (URLSession, SessionTask, Int64, Int64, Int64) -> Void)?
    {
        get { closure() }
        set { set(newValue, .sent) }
    }

    /// The last task of a request (after retries) has ended. The response handlers are called after this.
    @_disfavoredOverload
    @preconcurrency
    public var taskDidComplete: (@Sendable (URLSession, SessionTask, (any Error)?) -> Void)? {
        get { closure() }
        set { set(newValue) }
    }

    // MARK: - Data tasks

    /// Decides on a response: its body is loaded, the task is cancelled, or it becomes a download task.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidReceiveResponse:
        (@Sendable (URLSession, SessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    {
        get { closure() }
        set { set(newValue, .disposition) }
    }

    /// Like `dataTaskDidReceiveResponse`, but the closure passes its answer to a completion, during the call or
    /// later.
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

    /// A data task became a download task, which is the request's task from now on: the request ends with the download.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidBecomeDownloadTask:
        (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)?
    {
        get { closure() }
        set { set(newValue, .becameDownload) }
    }

    /// A piece of the body. While it is set, the request neither stores the body nor updates its progress.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskDidReceiveData: (@Sendable (URLSession, SessionDataTask, Data) -> Void)? {
        get { closure() }
        set { set(newValue, .data) }
    }

    /// Returns what the cache stores of a response; nil stores nothing.
    @_disfavoredOverload
    @preconcurrency
    public var dataTaskWillCacheResponse:
        (@Sendable (URLSession, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    {
        get { closure() }
        set { set(newValue, .store) }
    }

    /// Like `dataTaskWillCacheResponse`, but the closure passes its answer to a completion, during the call or
    /// later.
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

    /// The downloaded file, which must be moved inside the call. While it is set, the request's `destination` closure is
    /// not called, and the response has no URL of a file.
    @_disfavoredOverload
    @preconcurrency
    public var downloadTaskDidFinishDownloadingToURL:
        (@Sendable (URLSession, SessionDownloadTask, URL) -> Void)?
    {
        get { closure() }
        set { set(newValue, .file) }
    }

    /// Bytes were written. The numbers are: bytes since the last call, bytes so far, bytes in all (-1 if unknown). While
    /// it is set, the request's progress is not updated.
    @_disfavoredOverload
    @preconcurrency
    public var downloadTaskDidWriteData:
        (@Sendable (URLSession, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    {
        get { closure() }
        set { set(newValue, .wrote) }
    }

    /// A download continues. The numbers are: the offset at which it continues, and the file's size (-1 if unknown).
    /// While it is set, the request's progress is not updated.
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

    /// - Parameter kinds: the kinds of delegate calls that the closure handles instead of the delegate.
    private func set<Closure: Sendable>(
        _ closure: Closure?, _ kinds: TaskInterest = [], _ name: String = #function
    ) {
        let old = closures.withLock { closures in
            let old = closures[name]
            closures[name] = closure.map { StoredClosure(closure: $0, kinds: kinds) }
            if !isSubclass {
                let all = closures.values.reduce(into: TaskInterest()) { $0.formUnion($1.kinds) }
                interest.store(all.rawValue, ordering: .relaxed)
            }
            return old
        }
        // What is replaced is released after the lock.
        withExtendedLifetime(old) {}
        // The new closure may trust other servers than the one before it.
        if kinds == .challenge {
            state.withLock { $0.manager }?.taskSession.forgetAnswersAboutServers()
        }
    }

    /// Whether a challenge closure is set. Such a closure is also asked whether a server is trusted.
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
