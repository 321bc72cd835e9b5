import TestSupport

@testable import OperationNetworking

@Suite("Values of the caller's types from a manager", .timeLimit(.minutes(1)))
struct DecodedManagerTests {
    private struct User: Codable, Sendable, Equatable {
        var name: String
        var friends: [String]?
    }

    /// What the server was sent.
    private struct Seen: Codable, Sendable, Equatable {
        var method: String
        var type: String
        var body: String
        var query: String
    }

    private let world = TestWorld()
    private let manager: HTTPRequestOperationManager

    init() {
        manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            world.server.add("/seen/\(method)") { request in
                .json(
                    encoding: Seen(
                        method: request.method, type: request.headers["Content-Type"] ?? "",
                        body: String(decoding: request.body, as: UTF8.self),
                        query: request.query["a"] ?? ""))
            }
        }
    }

    private func failure<Value: Decodable & Sendable>(
        of body: String, as type: Value.Type, headers: [(String, String)] = []
    ) async -> ResponseSerializationError? {
        world.server.add("/body") { _ in .json(body, headers: headers) }
        return await #expect(throws: ResponseSerializationError.self) {
            _ = try await manager.get("body", as: type)
        }
    }

    // MARK: - Values

    @Test func `each verb returns a value`() async throws {
        let a = ["a": "1"]
        #expect(
            try await manager.get("seen/GET", parameters: a, as: Seen.self)
                == Seen(method: "GET", type: "", body: "", query: "1"))
        #expect(
            try await manager.delete("seen/DELETE", parameters: a, as: Seen.self)
                == Seen(method: "DELETE", type: "", body: "", query: "1"))
        let form = "application/x-www-form-urlencoded"
        #expect(
            try await manager.post("seen/POST", parameters: a, as: Seen.self)
                == Seen(method: "POST", type: form, body: "a=1", query: ""))
        #expect(
            try await manager.put("seen/PUT", parameters: a, as: Seen.self)
                == Seen(method: "PUT", type: form, body: "a=1", query: ""))
        #expect(
            try await manager.patch("seen/PATCH", parameters: a, as: Seen.self)
                == Seen(method: "PATCH", type: form, body: "a=1", query: ""))
        let request = URLRequest(url: world.server.url("/seen/GET?a=2"))
        #expect(try await manager.result(for: request, as: Seen.self).query == "2")
    }

    @Test(arguments: ["form", "json", "plist"])
    func `a value goes out as JSON, whatever the serializer writes`(kind: String) async throws {
        switch kind {
        case "json": manager.requestSerializer = JSONRequestSerializer()
        case "plist": manager.requestSerializer = PropertyListRequestSerializer()
        default: break
        }
        let ann = User(name: "Ann")
        func expected(_ method: String) -> Seen {
            Seen(
                method: method, type: "application/json", body: #"{"name":"Ann"}"#, query: "")
        }
        #expect(
            try await manager.post("seen/POST", body: ann, as: Seen.self) == expected("POST"))
        #expect(try await manager.put("seen/PUT", body: ann, as: Seen.self) == expected("PUT"))
        #expect(
            try await manager.patch("seen/PATCH", body: ann, as: Seen.self) == expected("PATCH"))
        #expect(try await manager.post("seen/POST", body: ann)?.statusCode == 200)
        try await manager.put("seen/PUT", body: ann)
        try await manager.patch("seen/PATCH", body: ann)
        #expect(
            world.server.requests.map(\.body).allSatisfy { $0 == Data(#"{"name":"Ann"}"#.utf8) })
    }

    @Test func `encoder and decoder are the caller's, and a type of the serializer's stays`()
        async throws
    {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Name: Codable, Sendable, Equatable { var firstName: String }
        manager.requestSerializer.setValue(
            "application/vnd.api+json", forHTTPHeaderField: "Content-Type")
        world.server.add("/name") { request in
            .json(String(decoding: request.body, as: UTF8.self))
        }
        let ann = Name(firstName: "Ann")
        let back = try await manager.post(
            "name", body: ann, as: Name.self, encoder: encoder, decoder: decoder)
        #expect(back == ann)
        let sent = try #require(world.server.requests.first)
        #expect(sent.body == Data(#"{"first_name":"Ann"}"#.utf8))
        #expect(sent.headers["Content-Type"] == "application/vnd.api+json")
    }

    @Test func `values come from several tasks at once`() async throws {
        world.server.add("/user") { .json(encoding: User(name: $0.query["n"] ?? "")) }
        let names = try await withThrowingTaskGroup(of: User.self) { group in
            for n in 0..<8 {
                group.addTask { [manager] in
                    try await manager.get("user", parameters: ["n": n], as: User.self)
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1.name) }
        }
        #expect(names.count == 8)
    }

    @Test func `an operation's value is its object`() async throws {
        world.server.add("/user") { _ in .json(#"{"name":"Ann"}"#) }
        let operation = HTTPRequestOperation(request: URLRequest(url: world.server.url("/user")))
        #expect(try await operation.result(as: User.self) == User(name: "Ann"))
        #expect(operation.responseObject as? User == User(name: "Ann"))
        #expect(try await operation.result(as: [String: String].self) == ["name": "Ann"])
    }

    @Test func `a number alone is a value, and text in the response's charset`() async throws {
        world.server.add("/three") { _ in .json("3") }
        #expect(try await manager.get("three", as: Int.self) == 3)
        world.server.add("/latin") { _ in
            .data(
                Data([0x5B, 0x22, 0xE9, 0x22, 0x5D]),
                contentType: "application/json; charset=iso-8859-1")
        }
        #expect(try await manager.get("latin", as: [String].self) == ["é"])
    }

    @Test func `no body is nil of an optional type, and an error of any other`() async throws {
        world.server.add("/none") { _ in .status(204) }
        #expect(try await manager.get("none", as: User?.self) == nil)
        #expect(try await manager.post("none", body: User(name: "Ann"))?.statusCode == 204)
        let error = await #expect(throws: ResponseSerializationError.self) {
            _ = try await manager.get("none", as: User.self)
        }
        #expect(error?.reason == .undecodableValue(type: "User"))
        #expect(error?.localizedDescription.hasSuffix("decoded as User: it is empty") == true)
    }

    // MARK: - Errors

    @Test func `an error says where, and has the original's domain and keys`() async throws {
        let error = try #require(
            await failure(of: #"{"name":"Ann","friends":["Bea",7]}"#, as: User.self))
        #expect(error.reason == .undecodableValue(type: "User"))
        #expect(error.underlying is DecodingError)
        let text = "Request failed: the body could not be decoded as User: "
        #expect(error.localizedDescription == text + "the value at 'friends[1]' is no String")
        let object = error as NSError
        #expect(object.domain == NetworkingError.responseSerializationDomain)
        #expect(object.code == NSURLErrorCannotDecodeContentData)
        let response = object.userInfo[NetworkingError.failingURLResponseKey]
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let data = object.userInfo[NetworkingError.failingURLResponseDataKey]
        #expect(data as? Data == Data(#"{"name":"Ann","friends":["Bea",7]}"#.utf8))
        #expect(object.userInfo[NSUnderlyingErrorKey] is NSError)

        let missing = await failure(of: "{}", as: User.self)
        #expect(missing?.localizedDescription == text + "no value at 'name'")
        let null = await failure(of: #"{"name":null}"#, as: User.self)
        #expect(null?.localizedDescription == text + "null or nothing in place of String at 'name'")
        let cut = await failure(of: #"{"name":"#, as: User.self)
        #expect(cut?.localizedDescription == text + "it is not valid")
    }

    @Test func `a peer's keys are printed without their control characters, and not in full`()
        async throws
    {
        let key = "\\u001b[31m" + String(repeating: "k", count: 1_000)
        let error = try #require(
            await failure(of: "{\"\(key)\":\"secret\"}", as: [String: Int].self))
        for text in ["\(error)", error.localizedDescription, (error as NSError).description] {
            #expect(!text.contains("\u{1B}") && !text.contains("secret"))
            #expect(!text.contains(String(repeating: "k", count: 65)), "\(text)")
        }
        #expect(error.localizedDescription.contains("'\u{FFFD}[31mkkk"))
        struct Kind: Decodable, Sendable {
            enum Of: String, Decodable { case a }
            let of: Of
        }
        let kind = try #require(await failure(of: #"{"of":"\u001b]0;x"}"#, as: Kind.self))
        for text in ["\(kind)", "\((kind as NSError).userInfo)"] {
            #expect(!text.contains("\u{1B}"))
        }
        #expect(kind.localizedDescription.hasSuffix("the value at 'of' is not valid"))
    }

    @Test func `status and type are judged by the manager's serializer, before the body`()
        async throws
    {
        world.server.add("/missing") { _ in .json(#"{"reason":"gone"}"#, status: 404) }
        let error = await #expect(throws: ResponseSerializationError.self) {
            _ = try await manager.get("missing", as: User.self)
        }
        #expect(error?.reason == .unacceptableStatusCode(404))
        #expect(error?.data == Data(#"{"reason":"gone"}"#.utf8))
        world.server.add("/page") { _ in .text(#"{"name":"Ann"}"#, contentType: "text/html") }
        let type = await #expect(throws: ResponseSerializationError.self) {
            _ = try await manager.get("page", as: User.self)
        }
        #expect(type?.reason == .unacceptableContentType("text/html"))
        manager.responseSerializer = HTTPResponseSerializer()
        #expect(try await manager.get("page", as: User.self) == User(name: "Ann"))
    }

    @Test func `a serializer of the caller's may refuse what the body says`() async throws {
        struct Refused: Error {}
        final class Strict: JSONResponseSerializer, @unchecked Sendable {
            override func responseObject(
                for response: URLResponse?, data: Data?
            ) -> SerializedResponse {
                var result = super.responseObject(for: response, data: data)
                if (result.object as? [String: Any])?["error"] != nil { result.error = Refused() }
                return result
            }
        }
        manager.responseSerializer = Strict()
        world.server.add("/no") { _ in .json(#"{"name":"Ann","error":1}"#) }
        await #expect(throws: Refused.self) { _ = try await manager.get("no", as: User.self) }
        world.server.add("/yes") { _ in .json(#"{"name":"Ann"}"#) }
        #expect(try await manager.get("yes", as: User.self) == User(name: "Ann"))
    }

    @Test func `a value that cannot be written is no request`() async throws {
        struct Rate: Encodable { var rates: [Double] }
        let error = await #expect(throws: RequestSerializationError.self) {
            try await manager.post("seen/POST", body: Rate(rates: [1, .infinity]))
        }
        #expect(error?.reason == .encodingFailed && error?.underlying is EncodingError)
        #expect(error?.explanation.contains("Rate could not be written as JSON") == true)
        #expect(error?.explanation.contains("'rates[1]'") == true)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a verb that a subclass overrides is asked, with the body`() async throws {
        final class Client: HTTPRequestOperationManager, @unchecked Sendable {
            override func post(
                _ urlString: String, parameters: Any?, success: Success?, failure: Failure?
            ) -> HTTPRequestOperation? {
                super.post(
                    "seen/" + urlString, parameters: parameters, success: success,
                    failure: failure)
            }
        }
        let client = Client(baseURL: world.server.baseURL)
        let seen = try await client.post("POST", body: User(name: "Ann"), as: Seen.self)
        #expect(seen.body == #"{"name":"Ann"}"#)
    }

    @Test func `cancelling the task cancels the operation`() async {
        world.server.add("/stalled") { _ in ScriptedResponse([.stall]) }
        let task = Task { _ = try await manager.get("stalled", as: User.self) }
        #expect(await world.server.sees { statistics, _ in statistics.requests == 1 })
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
