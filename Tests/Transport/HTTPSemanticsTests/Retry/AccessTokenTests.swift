import HTTPSemantics
import TestSupport

@Suite("An access token", .timeLimit(.minutes(1)))
struct AccessTokenTests {
    private let address = URL(string: "https://api.test/v1")

    private func request(_ text: String = "https://API.test:443/users", token: String? = nil)
        throws -> URLRequest
    {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
        return request
    }

    private func refusal(
        _ request: URLRequest, status: Int = 401, retryCount: Int = 0
    ) throws -> RequestFailure {
        let url = try #require(request.url)
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        return RequestFailure(request, response: response, retryCount: retryCount)
    }

    @Test func `only its own origin gets it`() async throws {
        let token = AccessToken(for: try #require(address), token: "a") { "b" }
        let own = try await token.adapt(request())
        #expect(own.value(forHTTPHeaderField: "Authorization") == "Bearer a")
        for text in ["http://api.test/", "https://api.test:8443/", "https://api.test.evil/"] {
            let other = try await token.adapt(request(text))
            #expect(other.value(forHTTPHeaderField: "Authorization") == nil)
            #expect(!token.shouldRetry(try refusal(other)))
        }
    }

    @Test func `a hundred requests without a token wait for one fetch`() async throws {
        let fetches = Watched(0)
        let token = AccessToken(for: try #require(address)) {
            fetches.change { $0 += 1 }
            return "a"
        }
        let request = try request()
        let sent = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await token.adapt(request).value(forHTTPHeaderField: "Authorization")
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(sent == ["Bearer a"])
        #expect(fetches.now == 1)
    }

    @Test func `a refused token is fetched anew, and one that is older than the present is not`()
        async throws
    {
        let fetches = Watched(0)
        let token = AccessToken(for: try #require(address), token: "1") {
            "\(fetches.change { $0 += 1; return $0 } + 1)"
        }
        let refused = try refusal(request(token: "1"))
        for _ in 0..<2 {
            #expect(token.shouldRetry(refused))
            let adapted = try await token.adapt(refused.request)
            #expect(adapted.value(forHTTPHeaderField: "Authorization") == "Bearer 2")
        }
        #expect(fetches.now == 1)
    }

    @Test func `a second 401, another status and a failure without a response are final`()
        async throws
    {
        let token = AccessToken(for: try #require(address), token: "1") { "2" }
        let request = try request(token: "1")
        let failures = [
            try refusal(request, retryCount: 1), try refusal(request, status: 403),
            RequestFailure(request, error: URLError(.timedOut), retryCount: 0),
        ]
        for failure in failures { #expect(!token.shouldRetry(failure)) }
        let next = Task {
            try await token.adapt(request).value(forHTTPHeaderField: "Authorization")
        }
        #expect(try await next.value == "Bearer 2", "the token of the second 401 is not sent again")
    }

    @Test func `a fetch that fails is the request's error, and made again for the next`()
        async throws
    {
        let fetches = Watched(0)
        let token = AccessToken(for: try #require(address)) {
            guard
                fetches.change({
                    $0 += 1; return $0
                }) > 1
            else { throw URLError(.timedOut) }
            return "a"
        }
        let request = try request()
        await #expect(throws: URLError.self) { try await token.adapt(request) }
        let second = try await token.adapt(request)
        #expect(second.value(forHTTPHeaderField: "Authorization") == "Bearer a")
    }
}
