import TestSupport

@testable import CurlConnection

@Suite("What failed at a proxy is said of the proxy", .timeLimit(.minutes(1)))
struct ProxyFailureTests {
    private func failure(
        _ code: UInt32, connect: Int = 0, socks: Int = 0, hasSent: Bool = false,
        kind: Proxy.Kind = .http
    ) throws -> ProxyFailure? {
        let proxy = try Proxy(kind, host: "p.test", port: 8, user: "login")
        return ProxyFailure(
            of: proxy,
            .init(
                result: CurlCode(rawValue: code), connectStatus: connect, proxyError: socks,
                hasSent: hasSent))
    }

    @Test func `a refused tunnel says its status`() throws {
        let refused = try failure(56, connect: 403)
        #expect(refused?.code == .cannotConnectToHost)
        #expect(refused?.text == "The proxy at p.test:8 refused the tunnel with 403.")
        #expect(refused?.wantsLogin == false)
        for status in [401, 407] {
            let login = try failure(56, connect: status)
            #expect(login?.code == .userAuthenticationRequired)
            #expect(login?.wantsLogin == true)
        }
        #expect(try failure(56)?.code == .networkConnectionLost)
    }

    @Test func `a failure behind the proxy is not the proxy's`() throws {
        for code: UInt32 in [28, 35, 52, 55, 56] {
            #expect(try failure(code, hasSent: true) == nil, "\(code)")
            #expect(try failure(code, connect: 200, kind: .https) == nil, "\(code)")
        }
    }

    @Test func `each of libcurl's codes has an answer, and no text shows the login`() throws {
        var codes: Set<UInt32> = []
        for code in 0..<CurlCode.count {
            guard let failure = try failure(code) else { continue }
            codes.insert(code)
            #expect(failure.text.contains("p.test"))
            #expect(!failure.text.contains("login"))
        }
        #expect(codes == [5, 7, 28, 52, 55, 56, 60, 97])
        #expect(try failure(35, kind: .https)?.code == .secureConnectionFailed)
    }

    @Test func `each of libcurl's SOCKS errors has a code of its kind`() throws {
        var byCode: [URLError.Code: Set<Int>] = [:]
        for number in 0...34 {
            let failure = try #require(try failure(97, socks: number, kind: .socks5))
            byCode[failure.code, default: []].insert(number)
        }
        #expect(byCode[.userAuthenticationRequired] == [7, 8, 12, 33])
        #expect(byCode[.networkConnectionLost] == [3, 13, 14, 15, 16, 28, 29, 30])
        #expect(byCode[.cannotFindHost] == [27])
        #expect(byCode[.cannotParseResponse] == [1, 2, 32])
        #expect(byCode[.cannotConnectToHost]?.count == 19)
    }
}
