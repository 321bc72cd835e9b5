import CurlConnection
import TestSupport

/// Loads with stores of the world's own.
extension TestWorld {
    private var ownConfiguration: Locked<URLConnectionConfiguration> {
        own("configuration") {
            var configuration = URLConnectionConfiguration()
            configuration.cookieStorage = CookieStorage()
            configuration.responseCache = required {
                try ResponseCache(memoryCapacity: 4 << 20)
            }
            configuration.credentialStorage = nil
            return Locked(configuration)
        }
    }

    var configuration: URLConnectionConfiguration {
        get { ownConfiguration.withLock { $0 } }
        set { ownConfiguration.withLock { $0 = newValue } }
    }

    var cookies: CookieStorage { configuration.cookieStorage ?? CookieStorage() }
    var cache: ResponseCache { configuration.responseCache ?? .shared }

    /// Loads a path to its end.
    func fetch(
        _ path: String, _ method: String = "GET", headers: [String: String] = [:],
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> StoreHeard {
        fetch(request(path, method, headers: headers, policy: policy))
    }

    /// Loads a request to its end.
    func fetch(_ request: URLRequest, _ listener: StoreListener = StoreListener()) -> StoreHeard {
        start(request, listener)
        return listener.atEnd()
    }

    func start(_ request: URLRequest, _ listener: StoreListener) {
        let request = Box(request)
        thread.run { [configuration] in
            guard let request = request.value else { return }
            let connection = URLConnection(
                request: request, delegate: listener, startImmediately: false)
            listener.connection = connection
            connection.configuration = configuration
            listener.configure?(connection)
            connection.start()
        }
    }

    /// The paths that the server was asked for since the last look.
    func asked() -> [String] {
        defer { server.resetLog() }
        return server.requests.map(\.target)
    }
}

/// What a listener heard so far.
struct StoreHeard {
    /// The names of the calls; pieces of data that follow each other are one.
    var calls: [String] = []
    var proposals: [URLRequest] = []
    var response: HTTPURLResponse?
    var offered: CachedURLResponse?
    var data = Data()
    var error: URLError?
    /// The connection's request at the end.
    var lastRequest: URLRequest?
    var metrics: RequestMetrics?

    var text: String { String(decoding: data, as: UTF8.self) }
    var status: Int? { response?.statusCode }
    var code: URLError.Code? { error?.code }
    var ends: Int { calls.count { $0 == "finish" || $0 == "fail" } }

    func field(_ name: String) -> String? { response?.value(forHTTPHeaderField: name) }
}

/// A delegate that notes each call, the cache's question included.
///
/// ## Concurrency
/// Call from: any thread. Lock: that of what was heard. The answers are set before the
/// start and called on the connection's thread.
final class StoreListener: URLConnectionDelegate, @unchecked Sendable {
    // @unchecked because what was heard has its own lock, and the rest is set before the start
    // and used on the connection's thread.
    private let seen = Watched(StoreHeard())

    var configure: ((URLConnection) -> Void)?
    var onCall: ((String, URLConnection) -> Void)?
    var onWillSend: ((URLRequest, URLResponse?) -> URLRequest?)?
    var onWillCache: ((URLConnection, CachedURLResponse) -> CachedURLResponse?)?
    var onNotConsumed: (() -> Int)?
    var credential: URLCredential?
    /// Whether it accepts every server.
    var vouches = false
    /// Set at the start.
    var connection: URLConnection?

    var heard: StoreHeard { seen.now }

    /// Waits until what was heard fulfils a condition; false when patience ended first.
    func wait(for holds: (StoreHeard) -> Bool) -> Bool { seen.blockUntil(holds) }

    /// Waits for the last call and returns all that was heard.
    func atEnd() -> StoreHeard {
        _ = wait { $0.ends > 0 }
        return heard
    }

    private func note(
        _ call: String, _ connection: URLConnection, _ change: (inout StoreHeard) -> Void = { _ in }
    ) {
        seen.change { heardSoFar in
            if call != "data" || heardSoFar.calls.last != "data" { heardSoFar.calls.append(call) }
            heardSoFar.lastRequest = connection.currentRequest
            change(&heardSoFar)
        }
        onCall?(call, connection)
    }

    // MARK: URLConnectionDelegate

    func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest? {
        note(redirectResponse == nil ? "willSend" : "redirect", connection) {
            $0.proposals.append(request)
        }
        guard let onWillSend else { return request }
        return onWillSend(request, redirectResponse)
    }

    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        note("challenge", connection)
        if vouches, let trust = challenge.protectionSpace.peerTrust {
            challenge.sender?.use(PeerTrustCredential(peerTrust: trust), for: challenge)
        } else if let credential, challenge.previousFailureCount == 0 {
            challenge.sender?.use(credential, for: challenge)
        } else {
            challenge.sender?.performDefaultHandling(for: challenge)
        }
    }

    func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        note("response", connection) { $0.response = response as? HTTPURLResponse }
    }

    func connection(_ connection: URLConnection, didReceive data: Data) {
        note("data", connection) { $0.data.append(data) }
    }

    func connectionBytesNotConsumed(_ connection: URLConnection) -> Int { onNotConsumed?() ?? 0 }

    func connection(
        _ connection: URLConnection, willCacheResponse cachedResponse: CachedURLResponse
    ) -> CachedURLResponse? {
        note("cache", connection) { $0.offered = cachedResponse }
        guard let onWillCache else { return cachedResponse }
        return onWillCache(connection, cachedResponse)
    }

    func connection(
        _ connection: URLConnection, didFinishCollecting metrics: RequestMetrics
    ) {
        seen.change { $0.metrics = metrics }
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        note("finish", connection)
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        note("fail", connection) { $0.error = error as? URLError }
    }
}

/// Counts from 1.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the number.
final class Turn: @unchecked Sendable {
    // @unchecked because the number is touched under the lock alone.
    private let lock = NSLock()
    private var number = 0

    var count: Int { lock.withLock { number } }

    func next() -> Int {
        lock.withLock {
            number += 1
            return number
        }
    }
}
