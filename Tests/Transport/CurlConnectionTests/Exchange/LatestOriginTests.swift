import HTTPSemantics
import TestSupport

@testable import CurlConnection

@Suite("The origin of the request before", .timeLimit(.minutes(1)))
struct LatestOriginTests {
    private static let addresses = [
        "http://a.test", "http://a.test/", "http://a.test?q", "http://a.test#f",
        "http://a.test:80/", "http://a.test:8/", "http://a.test:8080/", "http://a.test.evil/",
        "http://a.tes/",
        "http://a.test@b.test/", "http://user:word@a.test/", "https://a.test/", "HTTP://A.test/x",
        "http://b.test/?http://a.test/", "http://[::1]/", "http://[::1]:8/", "http:///path",
        "http:a.test", "ftp://a.test/",
    ]

    @Test func `is never taken for another one's, whatever was asked before`() throws {
        let urls = Self.addresses.compactMap { URL(string: $0) }
        try #require(urls.count == Self.addresses.count)
        for first in urls {
            for second in urls {
                var latest = LatestOrigin()
                _ = latest.origin(of: first)
                let found = latest.origin(of: second)
                let right = Origin(second)
                #expect(found.text == right?.description ?? "", "\(second) behind \(first)")
                #expect(found.isSecure == (right?.scheme == "https"), "\(second) behind \(first)")
            }
        }
    }
}
