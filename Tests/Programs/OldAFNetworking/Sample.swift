import AFNetworking

/// Every kind of call once, as the module's description promises it.
func sample(data: Data, url: URL, request: URLRequest) {
    let manager = AFHTTPRequestOperationManager(baseURL: URL(string: "http://127.0.0.1:8080/"))
    manager.requestSerializer = AFJSONRequestSerializer()
    manager.responseSerializer.acceptableContentTypes = ["application/json", "text/html"]
    manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("u", password: "p")
    manager.get(
        "get", parameters: ["a": 1],
        success: { (operation: AFHTTPRequestOperation, responseObject: Any) in
        },
        failure: { (operation: AFHTTPRequestOperation?, error: Error) in
        })
    manager.post(
        "post", parameters: nil,
        constructingBodyWith: { (formData: AFMultipartFormData) in
            formData.appendPart(
                withFileData: data, name: "f", fileName: "a.png", mimeType: "image/png")
            try? formData.appendPart(withFileURL: url, name: "g")
        }, success: nil, failure: nil)
    let operation = AFHTTPRequestOperation(request: request)
    operation.responseSerializer = AFJSONResponseSerializer(readingOptions: .mutableContainers)
    operation.setCompletionBlockWithSuccess(
        { operation, responseObject in }, failure: { operation, error in })
    operation.setDownloadProgressBlock { bytesRead, totalBytesRead, totalBytesExpectedToRead in }
    let operations = AFURLConnectionOperation.batch(
        ofRequestOperations: [operation], progressBlock: { done, total in },
        completionBlock: { operations in })
    AFSecurityPolicy(pinningMode: .certificate)
    AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: [data])
    let made = manager.httpRequestOperation(
        with: request, success: { operation, responseObject in },
        failure: { (operation: AFHTTPRequestOperation, error: Error) in })
    manager.operationQueue.addOperation(made)
    AFNetworkReachabilityManager.shared().setReachabilityStatusChange { status in }
}
