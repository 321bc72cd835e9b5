import Foundation
import FoundationNetworking
import RequestEra
import Synchronization

// snippet: begin
/// Signs every request. After a 401 it fetches one new token, for all requests that were refused.
final class TokenKeeper: RequestAdapter, RequestRetrier {
    private struct Token: Decodable {
        var token: String
    }

    private struct State {
        var token: String
        var waiting: [RequestRetryCompletion] = []
    }

    private let state: Mutex<State>
    private let tokenURL: URL
    /// Without an adapter: the request for a token is not signed, and not tried again.
    private let refresher = SessionManager()

    init(token: String, tokenURL: URL) {
        state = Mutex(State(token: token))
        self.tokenURL = tokenURL
    }

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        // No other server gets the token.
        guard urlRequest.url?.host == tokenURL.host, urlRequest.url?.port == tokenURL.port else {
            return urlRequest
        }
        var signed = urlRequest
        let token = state.withLock { $0.token }
        signed.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return signed
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        guard request.response?.statusCode == 401, request.retryCount == 0 else {
            return completion(false, 0)
        }
        let sent = request.request?.value(forHTTPHeaderField: "Authorization")
        let (isRefreshed, isFirst) = state.withLock { state in
            // The token was refreshed while this request was under way.
            guard sent == "Bearer \(state.token)" else { return (true, false) }
            state.waiting.append(completion)
            return (false, state.waiting.count == 1)
        }
        if isRefreshed { completion(true, 0) }
        if isFirst { Task { await refresh() } }
    }

    private func refresh() async {
        let answer = try? await refresher.request(tokenURL, method: .post).validate()
            .serializingDecodable(Token.self).value
        let waiting = state.withLock { state in
            if let answer { state.token = answer.token }
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion(answer != nil, 0) }
    }
}

func members(_ server: URL, token: String) -> SessionManager {
    let manager = SessionManager()
    let keeper = TokenKeeper(token: token, tokenURL: server.appendingPathComponent("token"))
    manager.adapter = keeper
    manager.retrier = keeper
    return manager
}
// snippet: end
