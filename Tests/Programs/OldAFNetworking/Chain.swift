import AFNetworking

/// The second request leaves when the first has finished.
func chain(_ first: URL, _ second: URL, _ completion: @escaping () -> Void) {
    let one = AFHTTPRequestOperation(request: URLRequest(url: first))
    let two = AFHTTPRequestOperation(request: URLRequest(url: second))
    two.addDependency(one)
    two.completionBlock = {
        completion()
    }
    let queue = OperationQueue()
    queue.addOperations([two, one], waitUntilFinished: false)
}
