import AFNetworking

func authorizedByHeader(_ url: String, _ completion: @escaping (Bool) -> Void) {
    let manager = AFHTTPRequestOperationManager()
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("user", password: "pass")
    manager.get(
        url, parameters: nil, success: { _, _ in completion(true) },
        failure: { _, _ in completion(false) })
}

func authorizedByCredential(_ url: URL, _ completion: @escaping (Bool) -> Void) {
    let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
    operation.credential = URLCredential(user: "user", password: "pass", persistence: .none)
    operation.setCompletionBlockWithSuccess(
        { _, _ in completion(true) }, failure: { _, _ in completion(false) })
    operation.start()
}

func authorizedByBlock(_ url: URL, _ completion: @escaping (Bool) -> Void) {
    let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
    operation.setWillSendRequestForAuthenticationChallenge {
        (connection: NSURLConnection, challenge: URLAuthenticationChallenge) in
        if challenge.previousFailureCount == 0 {
            let credential = URLCredential(user: "user", password: "pass", persistence: .none)
            challenge.sender?.use(credential, for: challenge)
        } else {
            challenge.sender?.continueWithoutCredential(for: challenge)
        }
    }
    operation.setCompletionBlockWithSuccess(
        { _, _ in completion(true) }, failure: { _, _ in completion(false) })
    operation.start()
}
