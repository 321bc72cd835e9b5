package import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
package import Locking
package import OperationNetworking

/// A `URLSessionConfiguration` as `URLConnection` is set up with it.
///
/// - `httpAdditionalHeaders`: added to a task's first request where it lacks them. A redirected
///   request has them from the request before, or lost them at another origin.
/// - `timeoutIntervalForRequest`: for a request whose own `timeoutInterval` is the initial one, 60.
/// - `timeoutIntervalForResource`: limits the whole load.
/// - `requestCachePolicy`: for a request whose own policy is the protocol's.
/// - `httpMaximumConnectionsPerHost`: as it is; at least 1.
/// - `httpCookieStorage`, `httpCookieAcceptPolicy`, `httpShouldSetCookies`: Foundation's shared
///   storage stands for `CookieStorage.shared`. Another one is used itself, by our rules
///   (`CookieStorage(mirroring:)`); nil is none. A policy other than the storage's and the initial one,
///   `onlyFromMainDocumentDomain`, makes a storage of the session's own. Without
///   `httpShouldSetCookies` no cookie is sent.
/// - `urlCache`: `URLCache.shared` stands for `ResponseCache.shared`; another one for a cache of
///   the session's own with the same capacity in memory; nil is none. What is in `URLCache` is not
///   used.
/// - `urlCredentialStorage`: the shared one stands for `CredentialStorage.shared`, another one for an
///   empty storage of the session's own; nil is none.
/// - `connectionProxyDictionary`: as CFNetwork reads it; without one the environment's variables,
///   as Foundation on Linux does, if any is set when the session is made.
/// - `protocolClasses`: the program's own are asked, after those of a configuration of connections.
/// - `networkServiceType`, `allowsCellularAccess`, `httpShouldUsePipelining`,
///   `sharedContainerIdentifier`: without effect.
struct ConnectionSettings: Sendable {
    /// The configuration of tasks for which `LoadOptions` has none.
    let connection: URLConnectionConfiguration
    let timeoutForResource: TimeInterval?
    private let proxyFailure: ProxyError?
    private let headers: [String: String]
    private let timeoutForRequest: TimeInterval
    private let cachePolicy: URLRequest.CachePolicy
    private let setsCookies: Bool

    init(_ configuration: URLSessionConfiguration) {
        var connection = URLConnectionConfiguration()
        connection.httpMaximumConnectionsPerHost = max(
            1, configuration.httpMaximumConnectionsPerHost)
        connection.cookieStorage = Self.cookies(configuration)
        connection.responseCache = Self.cache(configuration.urlCache)
        connection.credentialStorage = configuration.urlCredentialStorage.map {
            $0 === URLCredentialStorage.shared ? .shared : CredentialStorage()
        }
        connection.protocolClasses = Self.classes(configuration)
        do throws(ProxyError) {
            connection.proxy = try Self.proxy(configuration)
            proxyFailure = nil
        } catch {
            proxyFailure = error
        }
        self.connection = connection
        let limit = configuration.timeoutIntervalForResource
        timeoutForResource = limit > 0 ? limit : nil
        timeoutForRequest = configuration.timeoutIntervalForRequest
        cachePolicy = configuration.requestCachePolicy
        setsCookies = configuration.httpShouldSetCookies
        var headers: [String: String] = [:]
        for (field, value) in configuration.httpAdditionalHeaders ?? [:] {
            if let field = field as? String { headers[field] = "\(value)" }
        }
        self.headers = headers
    }

    /// A task's first request.
    func applied(to request: URLRequest) -> URLRequest {
        var request = request
        for (field, value) in headers where request.value(forHTTPHeaderField: field) == nil {
            request.setValue(value, forHTTPHeaderField: field)
        }
        // Setting a value, also an equal one, makes a copy of the request.
        if request.timeoutInterval == 60, timeoutForRequest != 60 {
            request.timeoutInterval = timeoutForRequest
        }
        if request.cachePolicy == .useProtocolCachePolicy, request.cachePolicy != cachePolicy {
            request.cachePolicy = cachePolicy
        }
        if !setsCookies { request.httpShouldHandleCookies = false }
        return request
    }

    private static func cookies(_ configuration: URLSessionConfiguration) -> CookieStorage? {
        guard let theirs = configuration.httpCookieStorage else { return nil }
        let policy = configuration.httpCookieAcceptPolicy
        let ours = theirs === HTTPCookieStorage.shared ? .shared : CookieStorage(mirroring: theirs)
        if ours.cookieAcceptPolicy == policy || policy == .onlyFromMainDocumentDomain {
            return ours
        }
        let own = CookieStorage()
        own.cookieAcceptPolicy = policy
        ours.cookies.forEach(own.setCookie)
        return own
    }

    private static func cache(_ theirs: URLCache?) -> ResponseCache? {
        guard let theirs else { return nil }
        if theirs === URLCache.shared { return .shared }
        return try? ResponseCache(memoryCapacity: theirs.memoryCapacity)
    }

    /// Foundation's own classes would load as Foundation does.
    private static func classes(_ configuration: URLSessionConfiguration) -> [URLProtocol.Type] {
        (configuration.protocolClasses ?? []).compactMap { kind in
            foundations.contains(ObjectIdentifier(kind)) ? nil : kind as? URLProtocol.Type
        }
    }

    private static let foundations = Set(
        (URLSessionConfiguration.default.protocolClasses ?? []).map { ObjectIdentifier($0) })

    private static func proxy(
        _ configuration: URLSessionConfiguration
    ) throws(ProxyError) -> ProxySetting {
        if let dictionary = configuration.connectionProxyDictionary {
            return try ProxySetting(connectionProxyDictionary: dictionary)
        }
        // Reading the environment for each load, as that setting does, is a tenth of its cost.
        let environment = ProcessInfo.processInfo.environment
        return proxyVariables.contains { environment[$0] != nil } ? .environment : .direct
    }

    private static let proxyVariables = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]

    /// - Throws: `URLError.cannotConnectToHost` for proxies that cannot be read, since no request
    ///   may bypass them.
    func check(_ url: URL?) throws {
        guard let proxyFailure else { return }
        throw URLError(
            .cannotConnectToHost, url: url, text: proxyFailure.errorDescription,
            underlying: proxyFailure)
    }
}

/// What the owner of sessions may change at any time; a task has what is set when it begins.
@dynamicMemberLookup
package struct LoadOptions: Sendable {
    /// What each `URLConnection` is set up with; nil follows the session's configuration.
    package var connection: URLConnectionConfiguration?
    /// The clock, retry policy, interceptor and `loadsLocalAddresses` of loads where there is no `connection`.
    private var others = URLConnectionConfiguration()
    /// Whether a redirect to another origin keeps the caller's credentials.
    package var forwardsCredentialsToOtherOrigins = false
    /// Observes the tasks.
    package var observedManager: ObservedManager?

    package init() {}

    /// A part of `connection`, or where there is none, one of its own.
    package subscript<Value>(
        dynamicMember path: WritableKeyPath<URLConnectionConfiguration, Value>
    ) -> Value {
        get { (connection ?? others)[keyPath: path] }
        set {
            connection?[keyPath: path] = newValue
            others[keyPath: path] = newValue
        }
    }

    /// Sets `connection`. A retry policy and an interceptor that were set before replace those of it.
    package mutating func setConnectionKeepingPolicies(_ new: URLConnectionConfiguration?) {
        connection = new
        if let policy = others.retryPolicy { connection?.retryPolicy = policy }
        if let interceptor = others.interceptor { connection?.interceptor = interceptor }
    }

    package var observer: (any RequestObserver)? {
        get { observedManager?.observer }
        set { observedManager = newValue.map(ObservedManager.init) }
    }

    /// - Parameter own: what the session's configuration says.
    package func configuration(
        with own: URLConnectionConfiguration
    ) -> URLConnectionConfiguration {
        if var connection {
            connection.protocolClasses += own.protocolClasses
            return connection
        }
        var own = own
        own.clock = others.clock
        own.retryPolicy = others.retryPolicy
        own.interceptor = others.interceptor
        own.loadsLocalAddresses = others.loadsLocalAddresses
        return own
    }
}

extension Locked<LoadOptions> {
    package var current: LoadOptions { withLock { $0 } }

    package func change(_ change: (inout LoadOptions) -> Void) {
        let old = withLock { options in
            let old = options
            change(&options)
            return old
        }
        // Released after the lock: it may have objects of the caller's, which use the manager in their `deinit`.
        withExtendedLifetime(old) {}
    }
}
