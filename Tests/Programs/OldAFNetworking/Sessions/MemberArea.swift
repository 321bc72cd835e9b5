import AFNetworking

class MemberArea {
    let manager = AFHTTPSessionManager()

    // snippet: begin
    init(user: String, password: String) {
        manager.setAuthenticationChallengeHandler {
            (
                session: URLSession, task: URLSessionTask, challenge: URLAuthenticationChallenge,
                completion: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Any? in
            if challenge.previousFailureCount > 0 {
                return NSNumber(
                    value: URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge
                        .rawValue)
            }
            return URLCredential(user: user, password: password, persistence: .none)
        }
    }
    // snippet: end

    func enter(_ url: String, completion: @escaping (Bool) -> Void) {
        manager.get(
            url, parameters: nil, headers: nil, progress: nil,
            success: { (task: URLSessionDataTask, responseObject: Any?) in completion(true) },
            failure: { (task: URLSessionDataTask?, error: Error) in completion(false) })
    }
}
