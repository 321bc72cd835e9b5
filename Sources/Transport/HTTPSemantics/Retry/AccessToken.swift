public import Foundation
public import FoundationNetworking
import Locking

/// Sends an access token with each request to one origin, and a new one after a 401.
///
/// ```swift
/// let manager = HTTPRequestOperationManager(baseURL: api)
/// manager.configuration.interceptor = AccessToken(for: api) {
///     try await signIn.post("token", as: Token.self).text
/// }
/// ```
///
/// All requests that need a new token wait for one call of `fetch`; meanwhile they use no connection. Each is sent
/// again once; a second 401 is its response. A request whose token is older than the present one is sent again
/// without a call of `fetch`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the token, not held while it is fetched.
public final class AccessToken: RequestInterceptor {
    private struct State {
        var token: String?
        var fetching: Task<String, any Error>?
    }

    private let origin: URL
    private let fetch: @Sendable () async throws -> String
    private let state: Locked<State>

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - origin: any address of the server; its scheme, host and port count. No other server gets the token.
    ///   - token: the first token; nil: it is fetched before the first request.
    ///   - fetch: returns a new token. What it throws is the error of all requests that wait for it; the next request
    ///     calls it again. Its own request must not wait for this token: use another manager for it.
    public init(
        for origin: URL, token: String? = nil, fetch: @escaping @Sendable () async throws -> String
    ) {
        self.origin = origin
        self.fetch = fetch
        state = Locked(State(token: token))
    }

    /// Adds `Authorization: Bearer` with the token, which is fetched where there is none.
    public func adapt(_ request: URLRequest) async throws -> URLRequest {
        guard isForOrigin(request) else { return request }
        let token = try await token()
        var request = request
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    /// Whether a request is sent again: once after a 401. The token that was refused is not sent any more.
    public func shouldRetry(_ failure: RequestFailure) -> Bool {
        guard failure.response?.statusCode == 401, isForOrigin(failure.request) else {
            return false
        }
        let refused = failure.request.value(forHTTPHeaderField: "Authorization")
        state.withLock { state in
            if let token = state.token, refused == "Bearer \(token)" { state.token = nil }
        }
        return failure.retryCount == 0
    }

    private func isForOrigin(_ request: URLRequest) -> Bool {
        Origin.isSame(request.url, origin)
    }

    private func token() async throws -> String {
        if let token = state.withLock({ $0.token }) { return token }
        return try await fetching().value
    }

    private func fetching() -> Task<String, any Error> {
        state.withLock { state in
            if let token = state.token { return Task { token } }
            if let fetching = state.fetching { return fetching }
            // A task of its own, since the end of one request must not end it for the others.
            let fetching = Task { try await self.fetchToken() }
            state.fetching = fetching
            return fetching
        }
    }

    private func fetchToken() async throws -> String {
        do {
            let token = try await fetch()
            state.withLock { $0 = State(token: token) }
            return token
        } catch {
            state.withLock { $0.fetching = nil }
            throw error
        }
    }
}
