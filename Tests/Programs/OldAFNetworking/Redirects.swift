import AFNetworking

func finalURL(_ url: URL, followsRedirects: Bool, _ completion: @escaping (URL?, Int) -> Void) {
    let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
    operation.setRedirectResponseBlock {
        (connection: NSURLConnection, request: URLRequest, redirectResponse: URLResponse)
            -> URLRequest? in
        return followsRedirects ? request : nil
    }
    operation.setCacheResponseBlock {
        (connection: NSURLConnection, cachedResponse: CachedURLResponse) -> CachedURLResponse in
        return cachedResponse
    }
    operation.setCompletionBlockWithSuccess(
        { operation, _ in
            completion(operation.response?.url, operation.response?.statusCode ?? 0)
        },
        failure: { operation, error in
            completion(operation.response?.url, operation.response?.statusCode ?? 0)
        })
    operation.start()
}
