public import CurlConnection
import Foundation
public import HTTPSemantics
public import OperationNetworking
import SessionTasks

// What the original left to the system.
extension SessionManager {
    /// What delays before another try, limits, ages of stored responses and cookies go by; the system's by default. It counts for tasks that begin later.
    public var clock: NetworkClock {
        get { taskSession.clock }
        set { taskSession.clock = newValue }
    }

    /// When a request is sent again inside its task, before validations and the `retrier` are called; nil,
    /// the default: never. It counts for tasks that begin later;
    /// `metrics.retryDecisions` says what was decided.
    public var retryPolicy: RetryPolicy? {
        get { taskSession.retryPolicy }
        set { taskSession.retryPolicy = newValue }
    }

    /// Changes each request before it is sent, and decides whether one that failed is sent again, inside its task; nil,
    /// the default: none. `AccessToken` is one. `adapter` and `retrier`, which make a task for each attempt, are
    /// Alamofire's.
    public var interceptor: (any RequestInterceptor)? {
        get { taskSession.interceptor }
        set { taskSession.interceptor = newValue }
    }

    /// Hears the moments of the tasks from now on, each try of a `retrier` being a task; nil, the default: nobody
    /// does. It is called on a queue of its own, not on the delegate's.
    public var observer: (any RequestObserver)? {
        get { taskSession.observedManager?.observer }
        set { taskSession.observedManager = newValue.map(ObservedManager.init) }
    }

    /// What each connection is set up with; it counts for tasks that begin later.
    ///
    /// Nil, at first, follows the session's configuration, as `URLSessionManager.connectionConfiguration` of
    /// `SessionEra` does. Set it before `clock`, `retryPolicy` and `loadsLocalAddresses`: it has its own.
    public var connectionConfiguration: URLConnectionConfiguration? {
        get { taskSession.connectionConfiguration }
        set { taskSession.connectionConfiguration = newValue }
    }

    /// Whether `file:` and `data:` addresses are loaded; false by default. Set it only where the program itself
    /// chooses the addresses; see `URLConnectionConfiguration.loadsLocalAddresses`. `response` is nil then, since it is no HTTP response.
    public var loadsLocalAddresses: Bool {
        get { taskSession.loadsLocalAddresses }
        set { taskSession.loadsLocalAddresses = newValue }
    }
}
