// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

/// A program's mock of its server, as its tests have one.
class ShopMock: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.path == "/prices.json"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let response = HTTPURLResponse(
            url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: ["Content-Type": "application/json"])!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: "{\"tea\": 3}".data(using: .utf8)!)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

class MockedShop {
    let manager: AFHTTPSessionManager

    init(_ server: URL) {
        let configuration = URLSessionConfiguration.default
        configuration.protocolClasses = [ShopMock.self]
        manager = AFHTTPSessionManager(baseURL: server, sessionConfiguration: configuration)
    }

    func price(of article: String, completion: @escaping (Int?) -> Void) {
        _ = manager.get(
            "prices.json", parameters: nil, headers: nil, progress: nil,
            success: { (task: URLSessionDataTask, object: Any?) in
                completion((object as? [String: Any])?[article] as? Int)
            },
            failure: { (task: URLSessionDataTask?, error: Error) in completion(nil) })
    }
}
