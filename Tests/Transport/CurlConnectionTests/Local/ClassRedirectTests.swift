import TestSupport

@testable import CurlConnection

@Suite("Classes of protocolClasses and redirects of servers", .timeLimit(.minutes(1)))
struct ClassRedirectTests {
    /// Takes no request.
    private final class Declining: URLProtocol {
        /// `METHOD URL` of each request it was asked about.
        static let asked = Watched<[String]>([])

        override class func canInit(with request: URLRequest) -> Bool {
            let text = "\(request.httpMethod ?? "") \(request.url?.absoluteString ?? "")"
            asked.change { $0.append(text) }
            return false
        }
    }

    @Test func `they are asked about each redirect, also to the URL that they have declined`()
        throws
    {
        try withWorld { world in
            world.server.add("/again") { request in
                request.method == "POST" ? .redirect(to: "/again", status: 303) : .text("done")
            }
            let request = world.request("/again", "POST")
            let heard = world.load(request) {
                $0.configuration.protocolClasses = [Declining.self]
            }
            #expect(heard.text == "done")
            let url = try #require(request.url?.absoluteString)
            let asked = Declining.asked.now.filter { $0.hasSuffix(" " + url) }
            #expect(asked == ["POST " + url, "GET " + url])
        }
    }
}
