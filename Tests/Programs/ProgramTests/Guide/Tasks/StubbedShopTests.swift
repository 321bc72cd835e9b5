import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking
import Testing

// snippet: begin
/// Responds in place of a host that does not exist.
final class ShopStub: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host == "shop.invalid"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: url.path == "/tea" ? 200 : 404, httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "application/json"])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("{\"price\":3}".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

struct StubbedShopTests {
    @Test
    func `a price is read, and what is missing is an error`() async throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://shop.invalid/"))
        manager.configuration.protocolClasses = [ShopStub.self]
        #expect(try await manager.get("tea") as? [String: Int] == ["price": 3])
        let error = await #expect(throws: ResponseSerializationError.self) {
            _ = try await manager.get("coffee")
        }
        #expect(error?.response?.url?.path == "/coffee")
    }
}
// snippet: end
