public import CurlConnection
import Foundation
public import HTTPSemantics
public import OperationNetworking
import SessionTasks

// What the original left to the system.
extension SessionManager {
    /// What delays before another attempt, limits, ages of stored responses and cookies are
    /// measured with; the system's clock by default. It counts for tasks that begin later.
    public var clock: NetworkClock {
        get { taskSession.options.current.clock }
        set { taskSession.options.change { $0.clock = newValue } }
    }

    /// When a request is sent again inside its task, before validations and the `retrier` are called; nil,
    /// the default: never. It counts for tasks that begin later;
    /// `metrics.retryDecisions` says what was decided.
    public var retryPolicy: RetryPolicy? {
        get { taskSession.options.current.retryPolicy }
        set { taskSession.options.change { $0.retryPolicy = newValue } }
    }

    /// Changes each request before it is sent, and decides whether one that failed is sent again, inside its task; nil,
    /// the default: none. `AccessToken` is one. `adapter` and `retrier`, which make a task for each attempt, are
    /// Alamofire's.
    public var interceptor: (any RequestInterceptor)? {
        get { taskSession.options.current.interceptor }
        set { taskSession.options.change { $0.interceptor = newValue } }
    }

    /// Is called about the moments of the tasks from now on, each attempt of a `retrier` being a
    /// task; nil by default. It is called on a queue of its own, not on the delegate's.
    public var observer: (any RequestObserver)? {
        get { taskSession.options.current.observer }
        set { taskSession.options.change { $0.observer = newValue } }
    }

    /// What each connection is set up with; it counts for tasks that begin later.
    ///
    /// Nil, at first, follows the session's configuration, as `URLSessionManager.connectionConfiguration` of
    /// `SessionEra` does. Set it before `clock`, `retryPolicy`, `interceptor` and `loadsLocalAddresses`: it has its own.
    public var connectionConfiguration: URLConnectionConfiguration? {
        get { taskSession.options.current.connection }
        set { taskSession.options.change { $0.connection = newValue } }
    }

    /// Whether `file:` and `data:` addresses are loaded; false by default. Set it only where the
    /// program itself chooses the addresses; see `URLConnectionConfiguration.loadsLocalAddresses`.
    /// The `response` of such a request is nil, since there is none of HTTP.
    public var loadsLocalAddresses: Bool {
        get { taskSession.options.current.loadsLocalAddresses }
        set { taskSession.options.change { $0.loadsLocalAddresses = newValue } }
    }
}
