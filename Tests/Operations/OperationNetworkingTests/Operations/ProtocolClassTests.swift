import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("Operations that a class of protocolClasses loads", .timeLimit(.minutes(1)))
struct ProtocolClassTests {
    /// Answers addresses of its own scheme, which nobody else could, and those of a host.
    private final class Mock: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool {
            request.url?.scheme == "mock" || request.url?.host == "mock.test"
        }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url, url.path != "/challenge" else { return challenge() }
            let response = URLResponse(
                url: url, mimeType: "application/json", expectedContentLength: 5,
                textEncodingName: nil)
            let cached = CachedURLResponse(response: response, data: Data("[1,2]".utf8))
            client?.urlProtocol(self, cachedResponseIsValid: cached)
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}

        private func challenge() {
            let space = URLProtectionSpace(
                host: "mock.test", port: 80, protocol: "http", realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            let challenge = URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: nil, previousFailureCount: 0,
                failureResponse: nil, error: nil, sender: Sender(self))
            client?.urlProtocol(self, didReceive: challenge)
        }
    }

    /// Answers the class's own challenge by the name that it is given.
    private final class Sender: NSObject, URLAuthenticationChallengeSender, @unchecked Sendable {
        // @unchecked because the loading object is only told of one answer.
        private let loading: URLProtocol

        init(_ loading: URLProtocol) { self.loading = loading }

        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
            finish(credential.user ?? "")
        }

        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { finish("none") }
        func cancel(_ challenge: URLAuthenticationChallenge) { finish("cancelled") }
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) { finish("default") }
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
            finish("rejected")
        }

        private func finish(_ name: String) {
            guard let url = loading.request.url else { return }
            let response = URLResponse(
                url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: nil)
            loading.client?.urlProtocol(
                loading, didReceive: response, cacheStoragePolicy: .notAllowed)
            loading.client?.urlProtocol(loading, didLoad: Data(name.utf8))
            loading.client?.urlProtocolDidFinishLoading(loading)
        }
    }

    private let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://127.0.0.1:9/"))

    @Test func `a manager's operations ask its configuration's classes`() async throws {
        let refused = await #expect(throws: URLError.self) {
            _ = try await manager.get("mock://host/list")
        }
        #expect(refused?.code == .unsupportedURL)
        manager.configuration.protocolClasses = [Mock.self]
        #expect(try await manager.get("mock://host/list") as? [Int] == [1, 2])
    }

    @Test func `what none of them takes is loaded as usual`() async throws {
        manager.configuration.protocolClasses = [Mock.self]
        manager.configuration.loadsLocalAddresses = true
        #expect(try await manager.get("data:application/json,[3]") as? [Int] == [3])
        let error = await #expect(throws: URLError.self) { _ = try await manager.get("other://a/") }
        #expect(error?.code == .unsupportedURL)
    }

    @Test func `a challenge of a class goes to the operation, whose answer it gets`() async throws {
        let url = try #require(URL(string: "http://mock.test/challenge"))
        for (credential, answer) in [
            (URLCredential(user: "ann", password: "p", persistence: .none), "ann"), (nil, "none"),
        ] {
            let operation = HTTPRequestOperation(request: URLRequest(url: url))
            operation.configuration.protocolClasses = [Mock.self]
            operation.credential = credential
            let data = try await operation.result() as? Data
            #expect(data == Data(answer.utf8))
        }
    }
}
