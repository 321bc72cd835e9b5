import Alamofire
import Foundation

/// A token for every request; where the server no longer takes it, one new token is asked for while
/// the requests that failed wait.
class TokenKeeper: RequestAdapter, RequestRetrier {
    private let server: String
    private let lock = NSRecursiveLock()
    private let refresher = SessionManager(configuration: .ephemeral)
    private var token: String
    private var waiting: [RequestRetryCompletion] = []
    private var isAsking = false
    private(set) var refreshes = 0

    init(server: String, token: String) {
        self.server = server
        self.token = token
    }

    // MARK: RequestAdapter

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        guard urlRequest.url?.absoluteString.hasPrefix(server) == true else { return urlRequest }
        lock.lock()
        defer { lock.unlock() }
        var signed = urlRequest
        signed.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        return signed
    }

    // MARK: RequestRetrier

    func should(
        _ manager: SessionManager, retry request: Request, with error: Error,
        completion: @escaping RequestRetryCompletion
    ) {
        guard let response = request.task?.response as? HTTPURLResponse,
            response.statusCode == 401, request.retryCount == 0
        else {
            completion(false, 0.0)
            return
        }
        lock.lock()
        defer { lock.unlock() }
        waiting.append(completion)
        if !isAsking { ask() }
    }

    private func ask() {
        isAsking = true
        let parameters: [String: Any] = ["grant_type": "refresh_token", "old": token]
        refresher.request(
            "\(server)/token", method: .post, parameters: parameters,
            encoding: JSONEncoding.default
        ).validate().responseJSON { [weak self] response in
            let json = response.result.value as? [String: Any]
            self?.finish(json?["token"] as? String)
        }
    }

    private func finish(_ new: String?) {
        lock.lock()
        defer { lock.unlock() }
        if let new = new { token = new }
        refreshes += 1
        isAsking = false
        waiting.forEach { $0(new != nil, 0.0) }
        waiting.removeAll()
    }
}

class AccountClient {
    let sessionManager = SessionManager(configuration: .default)
    let keeper: TokenKeeper

    init(server: String, token: String) {
        keeper = TokenKeeper(server: server, token: token)
        sessionManager.adapter = keeper
        sessionManager.retrier = keeper
    }

    func balance(_ url: String, completion: @escaping (Int?) -> Void) {
        sessionManager.request(url).validate().responseJSON { response in
            completion((response.result.value as? [String: Any])?["balance"] as? Int)
        }
    }
}
