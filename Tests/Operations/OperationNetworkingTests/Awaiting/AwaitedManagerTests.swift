import OperationNetworking
import TestSupport

@Suite("A manager's verbs that tasks wait for", .timeLimit(.minutes(1)))
struct AwaitedManagerTests {
    private let world = TestWorld()
    private let manager: HTTPRequestOperationManager

    init() {
        manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        for verb in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            world.server.add("/echo/\(verb)") { request in
                .json(encoding: [
                    request.method, request.query["a"] ?? "",
                    String(decoding: request.body, as: UTF8.self),
                ])
            }
        }
    }

    private func list(_ object: Any?) -> [String]? { object as? [String] }

    @Test func `each verb returns its object`() async throws {
        let parameters = ["a": "1"]
        #expect(
            list(try await manager.get("echo/GET", parameters: parameters)) == ["GET", "1", ""])
        #expect(
            list(try await manager.post("echo/POST", parameters: parameters)) == [
                "POST", "", "a=1",
            ])
        #expect(
            list(try await manager.put("echo/PUT", parameters: parameters)) == ["PUT", "", "a=1"])
        #expect(
            list(try await manager.patch("echo/PATCH", parameters: parameters)) == [
                "PATCH", "", "a=1",
            ])
        #expect(
            list(try await manager.delete("echo/DELETE", parameters: parameters)) == [
                "DELETE", "1", "",
            ])
        #expect(try await manager.head("json")?.statusCode == 200)
        let form = try await manager.post("echo/POST", parameters: parameters) { form in
            form.appendPart(formData: Data("file".utf8), name: "b")
        }
        #expect(list(form)?.last?.contains("file") == true)
        let plain = try await manager.result(for: URLRequest(url: world.server.url("/json")))
        #expect(plain as? [String: String] == ["a": "b"])
    }

    @Test func `a request that cannot be built throws why, and nothing is sent`() async {
        await #expect(throws: (any Error).self) {
            _ = try await manager.post(
                "echo/POST", parameters: ["a": Date.distantPast as Any, "b": 1.0 / 0])
            _ = try await HTTPRequestOperationManager(baseURL: nil).get("http://[")
        }
    }

    @Test func `a request that cannot be built throws also where nobody serves the queue`()
        async
    {
        let unserved = DispatchQueue(label: "unserved")
        unserved.suspend()
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.completionQueue = unserved
        await #expect(throws: (any Error).self) { _ = try await manager.get("http://[") }
        await #expect(throws: (any Error).self) { _ = try await manager.head("http://[") }
        unserved.resume()
    }

    @Test func `a verb that a subclass overrides is asked`() async throws {
        final class Client: HTTPRequestOperationManager, @unchecked Sendable {
            override func get(
                _ urlString: String, parameters: Any?, success: Success?, failure: Failure?
            ) -> HTTPRequestOperation? {
                super.get("echo/GET", parameters: ["a": "mine"], success: success, failure: failure)
            }
        }
        let client = Client(baseURL: world.server.baseURL)
        #expect(list(try await client.get("json")) == ["GET", "mine", ""])
    }

    @Test func `cancelling the task cancels the operation, and cancelling all throws`() async {
        world.server.add("/stalled") { _ in ScriptedResponse([.wait(gate: "a")]) }
        for byTask in [true, false] {
            let arrived = world.server.statistics.requests
            let task = Task { _ = try await manager.get("stalled") }
            #expect(await world.server.sees { statistics, _ in statistics.requests > arrived })
            if byTask { task.cancel() } else { manager.cancelAllOperations() }
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(await world.server.sees { statistics, _ in statistics.connectionsOpen == 0 })
        }
    }

    @Test func `the body of a request comes as it is read`() async throws {
        let (bytes, response) = try await manager.bytes(
            for: URLRequest(url: world.server.url("/ok")))
        var text = ""
        for try await line in bytes.lines { text += line }
        #expect(text == "hello world")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }
}
