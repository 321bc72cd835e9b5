import CurlConnection
public import Foundation
import FoundationNetworking
public import HTTPSemantics
import Locking
public import OperationNetworking

// Settings that can be changed at any time. A change applies to what the manager does afterwards.
extension URLSessionManager {
    /// Makes objects of responses; a JSON serializer by default. It must be one for HTTP; AFNetworking's manager accepted
    /// any serializer.
    public var responseSerializer: HTTPResponseSerializer {
        get { current.value.responseSerializer }
        set { change { $0.responseSerializer = newValue } }
    }

    /// Decides which https servers are trusted, unless a challenge block has decided.
    ///
    /// If it refuses a server, the task fails with `URLError.serverCertificateUntrusted`. The error's `userInfo` has the
    /// server's trust under `NSURLErrorFailingURLPeerTrustErrorKey`.
    public var securityPolicy: SecurityPolicy {
        get { current.value.securityPolicy }
        set { changeTrust { $0.securityPolicy = newValue } }
    }

    /// Reports whether the network can be reached. The manager neither starts it nor reads it; it is here for the caller.
    public var reachabilityManager: NetworkReachabilityManager {
        get { current.value.reachabilityManager }
        set { change { $0.reachabilityManager = newValue } }
    }

    /// The queue on which completion handlers are called; nil means the main queue.
    public var completionQueue: DispatchQueue? {
        get { current.value.completionQueue }
        set { change { $0.completionQueue = newValue } }
    }

    /// The dispatch group that completion handlers enter; nil means one that all managers share.
    public var completionGroup: DispatchGroup? {
        get { current.value.completionGroup }
        set { change { $0.completionGroup = newValue } }
    }

    /// Decides whether a request that has failed is sent again. The task reports only the result of the last attempt.
    ///
    /// Nil, the default, means the policy of `connectionConfiguration`, if that has one. A change applies to tasks that
    /// start later. `task.metrics?.retryDecisions` has each decision.
    public var retryPolicy: RetryPolicy? {
        get { slot.options.current.retryPolicy }
        set { slot.options.change { $0.retryPolicy = newValue } }
    }

    /// Can change each request before it is sent, and decide whether a request that has failed is sent again by the same
    /// task. Nil by default. `AccessToken` is an interceptor.
    public var interceptor: (any RequestInterceptor)? {
        get { slot.options.current.interceptor }
        set { slot.options.change { $0.interceptor = newValue } }
    }

    /// Its methods are called for the events of tasks, such as a response or a retry. Nil by default.
    public var observer: (any RequestObserver)? {
        get { slot.options.current.observer }
        set { slot.options.change { $0.observer = newValue } }
    }

    /// Whether a request that is redirected to another origin keeps its fields `Authorization`, `Cookie` and
    /// `Proxy-Authorization`; false by default. Foundation's URLSession on Linux keeps them.
    ///
    /// Another origin is another scheme, host or port.
    public var forwardsCredentialsToOtherOrigins: Bool {
        get { slot.options.current.forwardsCredentialsToOtherOrigins }
        set { slot.options.change { $0.forwardsCredentialsToOtherOrigins = newValue } }
    }

    /// Whether a download is reported as a success, with the path of the destination, if its file could not be moved there.
    /// AFNetworking 4 did so; false by default.
    public var reportsFailedMoveAsSuccess: Bool {
        get { current.value.reportsFailedMoveAsSuccess }
        set { change { $0.reportsFailedMoveAsSuccess = newValue } }
    }

    var current: SettingsObject { settings.withLock { $0 } }

    func change(_ change: (inout SessionSettings) -> Void) {
        let old = settings.withLock { settings in
            let old = settings
            var new = old.value
            change(&new)
            settings = SettingsObject(new)
            return old
        }
        // The old object is released without the lock, because its deinit may run the caller's code.
        withExtendedLifetime(old) {}
    }

    /// Changes a setting that decides whether a server is trusted, and forgets the decisions made before, also those
    /// of sessions that were reset and have tasks still.
    func changeTrust(_ change: (inout SessionSettings) -> Void) {
        self.change(change)
        for session in slot.sessions { session.forgetAnswersAboutServers() }
    }
}

struct SessionSettings {
    var responseSerializer: HTTPResponseSerializer = JSONResponseSerializer()
    var securityPolicy = SecurityPolicy.default()
    var reachabilityManager = NetworkReachabilityManager.shared
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var reportsFailedMoveAsSuccess = false
    var blocks = SessionBlocks()
}

/// The settings as one object that does not change, so that reading one copies no other.
final class SettingsObject: @unchecked Sendable {
    // @unchecked because it is constant, and its parts guard themselves.
    let value: SessionSettings
    /// The questions that a block answers.
    let asks: TaskInterest

    init(_ value: SessionSettings) {
        self.value = value
        let blocks = value.blocks
        var asks: TaskInterest = []
        if blocks.willRedirect != nil { asks.insert(.redirect) }
        if blocks.challengeHandler != nil || blocks.sessionChallenge != nil {
            asks.insert(.challenge)
        }
        if blocks.didReceiveResponse != nil { asks.insert(.disposition) }
        if blocks.willCacheResponse != nil { asks.insert(.store) }
        self.asks = asks
    }
}

struct SessionBlocks {
    var sessionDidBecomeInvalid: (@Sendable (URLSession, (any Error)?) -> Void)?
    var sessionChallenge:
        (
            @Sendable (URLSession, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    var needNewBodyStream: (@Sendable (URLSession, SessionTask) -> InputStream?)?
    var willRedirect: (@Sendable (URLSession, SessionTask, URLResponse, URLRequest) -> URLRequest?)?
    var challengeHandler:
        (
            @Sendable (
                URLSession, SessionTask, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> AuthenticationChallengeAnswer
        )?
    var didFinishCollecting: (@Sendable (URLSession, SessionTask, RequestMetrics?) -> Void)?
    var willCacheResponse:
        (@Sendable (URLSession, SessionDataTask, CachedURLResponse) -> CachedURLResponse)?
    var didBecomeDownload: (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)?
    var didSendBodyData: (@Sendable (URLSession, SessionTask, Int64, Int64, Int64) -> Void)?
    var didComplete: (@Sendable (URLSession, SessionTask, (any Error)?) -> Void)?
    var didReceiveResponse:
        (@Sendable (URLSession, SessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    var didReceiveData: (@Sendable (URLSession, SessionDataTask, Data) -> Void)?
    var didFinishDownloading: (@Sendable (URLSession, SessionDownloadTask, URL) -> URL?)?
    var didWriteData: (@Sendable (URLSession, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    var didResume: (@Sendable (URLSession, SessionDownloadTask, Int64, Int64) -> Void)?
}
