import AFNetworking

// Overrides of the method that every call ends in, as classes of 2.x wrote them.

func callByBlocks(
    _ manager: AFHTTPRequestOperationManager, _ url: URL, _ done: @escaping () -> Void
) {
    let operation = manager.httpRequestOperation(
        with: URLRequest(url: url),
        success: { (operation: AFHTTPRequestOperation, object: Any) in done() },
        failure: { (operation: AFHTTPRequestOperation, error: Error) in done() })
    manager.operationQueue.addOperation(operation)
}

func operationWithoutFailure(_ manager: AFHTTPRequestOperationManager, _ url: URL)
    -> AFHTTPRequestOperation
{
    return manager.httpRequestOperation(
        with: URLRequest(url: url),
        success: { (operation: AFHTTPRequestOperation, object: Any) in })
}

func callByVerb(_ manager: AFHTTPRequestOperationManager, _ done: @escaping () -> Void) {
    manager.get(
        "json", parameters: nil, success: { _, _ in done() }, failure: { _, _ in done() })
}

private func marked(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setValue("mark", forHTTPHeaderField: "X-Mark")
    return request
}

/// What ends a call that would come back for ever.
private func plain(
    _ request: URLRequest, _ success: ((AFHTTPRequestOperation, Any?) -> Void)?,
    _ failure: ((AFHTTPRequestOperation, Error) -> Void)?
) -> AFHTTPRequestOperation {
    let operation = AFHTTPRequestOperation(request: request)
    operation.setCompletionBlockWithSuccess(success, failure: failure)
    return operation
}

class OldSpelling: AFHTTPRequestOperationManager {
    var calls = 0

    override func httpRequestOperation(
        with request: URLRequest, success: ((AFHTTPRequestOperation, Any?) -> Void)?,
        failure: ((AFHTTPRequestOperation, Error) -> Void)?
    ) -> AFHTTPRequestOperation {
        calls += 1
        return super.httpRequestOperation(
            with: marked(request), success: success, failure: failure)
    }
}

class NewSpelling: AFHTTPRequestOperationManager {
    var calls = 0

    override func httpRequestOperation(
        with request: URLRequest, success: Success?, failure: Failure?
    ) -> AFHTTPRequestOperation {
        calls += 1
        return super.httpRequestOperation(
            with: marked(request), success: success, failure: failure)
    }
}

class Wrapping: AFHTTPRequestOperationManager {
    var calls = 0

    override func httpRequestOperation(
        with request: URLRequest, success: ((AFHTTPRequestOperation, Any?) -> Void)?,
        failure: ((AFHTTPRequestOperation, Error) -> Void)?
    ) -> AFHTTPRequestOperation {
        calls += 1
        return super.httpRequestOperation(
            with: marked(request),
            success: { operation, object in
                success?(operation, object)
            },
            failure: { (operation: AFHTTPRequestOperation, error: Error) in
                failure?(operation, error)
            })
    }
}

class WithoutFailure: AFHTTPRequestOperationManager {
    var calls = 0

    override func httpRequestOperation(
        with request: URLRequest, success: ((AFHTTPRequestOperation, Any?) -> Void)?,
        failure: ((AFHTTPRequestOperation, Error) -> Void)?
    ) -> AFHTTPRequestOperation {
        calls += 1
        guard calls < 10 else { return plain(request, success, failure) }
        return super.httpRequestOperation(with: marked(request), success: success)
    }
}

class WithHelper: AFHTTPRequestOperationManager {
    var calls = 0

    override func httpRequestOperation(
        with request: URLRequest, success: ((AFHTTPRequestOperation, Any?) -> Void)?,
        failure: ((AFHTTPRequestOperation, Error) -> Void)?
    ) -> AFHTTPRequestOperation {
        calls += 1
        guard calls < 10 else { return plain(request, success, failure) }
        return markedOperation(request, success, failure)
    }

    private func markedOperation(
        _ request: URLRequest, _ success: ((AFHTTPRequestOperation, Any?) -> Void)?,
        _ failure: ((AFHTTPRequestOperation, Error) -> Void)?
    ) -> AFHTTPRequestOperation {
        return super.httpRequestOperation(
            with: marked(request), success: success, failure: failure)
    }
}
