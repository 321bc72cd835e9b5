import AFNetworking
import LoopbackServer
import Testing

@Suite("Old calls end in the method that a subclass overrides", .timeLimit(.minutes(5)))
struct OverrideTests {
    /// Calls with old blocks through the base type; tells how often the override was asked, and what
    /// the server saw of it.
    private func marks(_ make: (URL) -> (AFHTTPRequestOperationManager, () -> Int)) async throws
        -> [String?]
    {
        let room = try Room()
        let (manager, calls) = make(room.baseURL)
        await done { finish in
            let operation = manager.httpRequestOperation(
                with: URLRequest(url: room.server.url("/json")),
                success: { (operation: AFHTTPRequestOperation, object: Any) in finish() },
                failure: { (operation: AFHTTPRequestOperation, error: Error) in finish() })
            manager.operationQueue.addOperation(operation)
        }
        let byBlocks = calls()
        let silent = manager.httpRequestOperation(
            with: URLRequest(url: room.server.url("/json")),
            success: { (operation: AFHTTPRequestOperation, object: Any) in })
        let bySuccess = calls() - byBlocks
        await done { finish in
            manager.get(
                "json", parameters: nil, success: { _, _ in finish() },
                failure: { _, _ in finish() })
        }
        let byVerb = calls() - byBlocks - bySuccess
        let seen = room.server.requests.map { $0.headers["X-Mark"] }
        return ["\(byBlocks) \(bySuccess) \(byVerb)"] + seen
            + [silent.request.value(forHTTPHeaderField: "X-Mark")]
    }

    private static let wanted = ["1 1 1", "mark", "mark", "mark"]

    @Test
    func `an override in the old spelling is asked once a call`() async throws {
        let marks = try await marks { base in
            let client = OldSpelling(baseURL: base)
            return (client, { client.calls })
        }
        #expect(marks == Self.wanted)
    }

    @Test
    func `an override in the new spelling is asked once a call`() async throws {
        let marks = try await marks { base in
            let client = NewSpelling(baseURL: base)
            return (client, { client.calls })
        }
        #expect(marks == Self.wanted)
    }

    @Test
    func `an override that wraps the blocks is asked once a call`() async throws {
        let marks = try await marks { base in
            let client = Wrapping(baseURL: base)
            return (client, { client.calls })
        }
        #expect(marks == Self.wanted)
    }

    @Test
    func `an override that leaves the failure out is asked once a call`() async throws {
        let room = try Room()
        let client = WithoutFailure(baseURL: room.baseURL)
        let manager: AFHTTPRequestOperationManager = client
        await done { finish in
            manager.get(
                "json", parameters: nil, success: { _, _ in finish() },
                failure: { _, _ in finish() })
        }
        #expect(client.calls == 1)
        #expect(room.server.requests.map { $0.headers["X-Mark"] } == ["mark"])
    }

    @Test
    func `an override whose helper calls super comes to an end`() async throws {
        let room = try Room()
        let client = WithHelper(baseURL: room.baseURL)
        let manager: AFHTTPRequestOperationManager = client
        await done { finish in
            manager.get(
                "json", parameters: nil, success: { _, _ in finish() },
                failure: { _, _ in finish() })
        }
        #expect(room.server.requests.map { $0.headers["X-Mark"] } == ["mark"])
    }
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
