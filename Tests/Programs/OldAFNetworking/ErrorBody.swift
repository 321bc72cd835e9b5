import AFNetworking

func messageOfFailure(_ url: String, _ completion: @escaping (Int, String) -> Void) {
    // snippet: begin
    let manager = AFHTTPRequestOperationManager()
    manager.get(
        url, parameters: nil, success: nil,
        failure: { (operation, error) in
            let userInfo = (error as NSError).userInfo
            let data = userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data
            let text = data.flatMap { String(data: $0, encoding: .utf8) } ?? ""
            completion(operation?.response?.statusCode ?? 0, text)
        })
    // snippet: end
}

func domainOfFailure(_ url: String, _ completion: @escaping (Bool, Int) -> Void) {
    AFHTTPRequestOperationManager().get(
        url, parameters: nil,
        success: { _, _ in
            completion(false, 0)
        }
    ) { _, error in
        let error = error as NSError
        completion(error.domain == AFURLResponseSerializationErrorDomain, error.code)
    }
}
