import CurlConnection
public import Foundation
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

    /// Changes a setting that decides whether a server is trusted, and forgets the decisions made before.
    func changeTrust(_ change: (inout SessionSettings) -> Void) {
        self.change(change)
        slot.current?.forgetAnswersAboutServers()
    }
}
