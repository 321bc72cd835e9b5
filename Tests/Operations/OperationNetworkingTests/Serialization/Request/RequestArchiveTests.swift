import OperationNetworking
import TestSupport

/// What goes out from a serializer that came of an archive, not what it lists.
@Suite("Requests of an unarchived serializer", .timeLimit(.minutes(5)))
struct RequestArchiveTests {
    private func changed(_ serializer: HTTPRequestSerializer) -> HTTPRequestSerializer {
        serializer.setHTTPHeaderFields([
            "Authorization": "Basic bWU6d29yZA==", "X-Client": "7", "User-Agent": "one/1",
            "Accept-Language": nil,
        ])
        serializer.timeoutInterval = 5
        serializer.httpShouldHandleCookies = true
        serializer.cachePolicy = .reloadIgnoringLocalCacheData
        serializer.allowsCellularAccess = true
        serializer.networkServiceType = .background
        serializer.httpMethodsEncodingParametersInURI = ["GET", "PUT"]
        return serializer
    }

    @Test(
        arguments: ["GET", "POST", "PUT", "DELETE"])
    func `it builds the very requests of the one that was archived`(method: String) throws {
        for serializer in [
            HTTPRequestSerializer(), JSONRequestSerializer(),
            PropertyListRequestSerializer(format: .binary),
        ] {
            let original = changed(serializer)
            let read = try again(original)
            for parameters in [nil, ["a": "ü"]] as [[String: String]?] {
                let url = "http://127.0.0.1/r"
                let sent = try read.request(method: method, urlString: url, parameters: parameters)
                let due = try original.request(
                    method: method, urlString: url, parameters: parameters)
                #expect(sent.allHTTPHeaderFields == due.allHTTPHeaderFields)
                #expect(sent.value(forHTTPHeaderField: "X-Client") == "7")
                #expect(sent.url == due.url)
                #expect(sent.httpMethod == due.httpMethod)
                #expect(sent.httpBody == due.httpBody)
                #expect(sent.timeoutInterval == due.timeoutInterval)
                #expect(sent.httpShouldHandleCookies == due.httpShouldHandleCookies)
                #expect(sent.cachePolicy == due.cachePolicy)
                #expect(sent.allowsCellularAccess == due.allowsCellularAccess)
                #expect(sent.networkServiceType == due.networkServiceType)
            }
        }
    }

    @Test
    func `a manager from an archive sends the fields that it lists`() async throws {
        let world = TestWorld()
        world.server.add("/who") { .text($0.headers["X-Client"] ?? "nobody") }
        let original = HTTPRequestOperationManager(baseURL: world.server.url("/"))
        original.responseSerializer = HTTPResponseSerializer()
        original.requestSerializer = changed(HTTPRequestSerializer())
        let manager = try again(original)
        let operation = try #require(manager.get("who", success: nil))
        await withCheckedContinuation { end in
            BlockOperation.after(operation) { end.resume() }
        }
        #expect(operation.responseString == "7")
        let request = world.server.requests.first
        #expect(request?.headers["Authorization"] == "Basic bWU6d29yZA==")
        #expect(request?.headers["User-Agent"] == "one/1")
    }
}

extension BlockOperation {
    /// Runs a block once an operation has finished.
    fileprivate static func after(
        _ operation: Operation, _ block: @escaping @Sendable () -> Void
    ) {
        let last = BlockOperation(block: block)
        last.addDependency(operation)
        OperationQueue().addOperation(last)
    }
}
