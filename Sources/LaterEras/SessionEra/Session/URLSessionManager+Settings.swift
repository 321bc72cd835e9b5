import CurlConnection
public import Foundation
public import HTTPSemantics
import Locking
public import OperationNetworking

// The settings: read and changed at any time; a change counts for what follows it.
extension URLSessionManager {
    /// Decodes the responses; a JSON serializer by default. AFNetworking accepted any serializer
    /// here; this manager accepts those for HTTP.
    public var responseSerializer: HTTPResponseSerializer {
        get { current.value.responseSerializer }
        set { change { $0.responseSerializer = newValue } }
    }

    /// The requirements on https servers.
    ///
    /// They decide where no challenge block does. A server that they refuse fails its task with
    /// `URLError.serverCertificateUntrusted`, with its trust under
    /// `NSURLErrorFailingURLPeerTrustErrorKey` (UM-19).
    public var securityPolicy: SecurityPolicy {
        get { current.value.securityPolicy }
        set { changeTrust { $0.securityPolicy = newValue } }
    }

    /// The caller's monitor of the network; the manager does not start it.
    public var reachabilityManager: NetworkReachabilityManager {
        get { current.value.reachabilityManager }
        set { change { $0.reachabilityManager = newValue } }
    }

    /// The queue on which completion handlers are called; nil means the main queue.
    public var completionQueue: DispatchQueue? {
        get { current.value.completionQueue }
        set { change { $0.completionQueue = newValue } }
    }

    /// The group that completion handlers join; nil means a group that all managers share (UM-12).
    public var completionGroup: DispatchGroup? {
        get { current.value.completionGroup }
        set { change { $0.completionGroup = newValue } }
    }

    /// When a request is sent again inside its task, which gets the last try alone; nil, the
    /// default: never, or as `connectionConfiguration` says.
    ///
    /// It counts for tasks that begin later; `task.metrics?.retryDecisions` says what was decided.
    public var retryPolicy: RetryPolicy? {
        get { slot.options.current.retryPolicy }
        set { slot.options.change { $0.retryPolicy = newValue } }
    }

    /// Changes each request before it is sent, and decides whether one that failed is sent again, inside its task; nil,
    /// the default: none. `AccessToken` is one.
    public var interceptor: (any RequestInterceptor)? {
        get { slot.options.current.interceptor }
        set { slot.options.change { $0.interceptor = newValue } }
    }

    /// Is called about the moments of the tasks from now on; nil by default.
    public var observer: (any RequestObserver)? {
        get { slot.options.current.observer }
        set { slot.options.change { $0.observer = newValue } }
    }

    /// Whether a redirect to another origin keeps `Authorization`, `Cookie` and
    /// `Proxy-Authorization`, as URLSession on Linux does by itself (LX-11); false by default.
    ///
    /// Another origin is another scheme, host or port.
    public var forwardsCredentialsToOtherOrigins: Bool {
        get { slot.options.current.forwardsCredentialsToOtherOrigins }
        set { slot.options.change { $0.forwardsCredentialsToOtherOrigins = newValue } }
    }

    /// Whether a download whose file could not be moved counts as a success with the path of the
    /// destination, as in AFNetworking 4 (UM-06.7); false by default.
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
        // The replaced object is released outside the lock: its deinit is the caller's code.
        withExtendedLifetime(old) {}
    }

    /// A change of what judges servers: those that were judged before are asked about again.
    func changeTrust(_ change: (inout SessionSettings) -> Void) {
        self.change(change)
        slot.current?.forgetAnswersAboutServers()
    }
}
