import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

@testable import CurlConnection

@Suite("What a 401 asks for and how it is answered", .timeLimit(.minutes(5)))
struct AuthenticationExchangeTests {
    private func space(
        _ challenges: [String], status: Int = 401, url: String = "http://one.test/a"
    ) throws -> URLProtectionSpace? {
        var head = ResponseHead(version: "HTTP/1.1", statusCode: status)
        head.fields = challenges.map { ResponseHead.Field(name: "WWW-Authenticate", value: $0) }
        return AuthenticationExchange.protectionSpace(
            for: head, url: try #require(URL(string: url)))
    }

    @Test(arguments: [
        ["Basic realm=\"here\""], ["basic REALM=\"here\""],
        ["Basic  realm=\"here\", charset=\"UTF-8\""],
        ["Digest realm=\"other\"", "Basic realm=\"here\""],
        ["Digest realm=\"other\", nonce=\"x\", Basic realm=\"here\""],
        ["Negotiate, Basic realm=\"here\""],
    ])
    func `Basic is found wherever it stands`(challenges: [String]) throws {
        let space = try #require(try space(challenges))
        #expect(space.realm == "here")
        #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
    }

    @Test(arguments: [[], ["Digest realm=\"r\""], ["Basically realm=\"r\""], ["Bearer"], [""]])
    func `other schemes are not known`(challenges: [String]) throws {
        #expect(try space(challenges) == nil)
    }

    @Test func `only a 401 asks`() throws {
        for status in [200, 400, 403, 407, 500] {
            #expect(try space(["Basic realm=\"r\""], status: status) == nil)
        }
    }

    @Test func `a challenge without a realm has none`() throws {
        #expect(try space(["Basic"])?.realm == nil)
    }

    @Test(arguments: [
        ("http://one.test/", 80), ("https://one.test/", 443), ("http://one.test:8080/", 8080),
    ])
    func `the space has the server's port`(url: String, port: Int) throws {
        let space = try #require(try space(["Basic"], url: url))
        #expect(space.host == "one.test")
        #expect(space.port == port)
    }

    @Test func `user and password go as UTF-8 in base64`() {
        let credential = URLCredential(user: "Aladdin", password: "öpen", persistence: .none)
        let expected = Data("Aladdin:öpen".utf8).base64EncodedString()
        #expect(AuthenticationExchange.authorization(credential) == "Basic \(expected)")
    }

    @Test func `a credential never goes to another origin with a redirect`() throws {
        try withFixture { fixture in
            let other = LoopbackServer()
            try other.start()
            defer { other.stop() }
            let away = other.url("/ok").absoluteString
            fixture.server.add("/in") { request in
                guard request.headers["Authorization"] != nil else {
                    return .status(401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
                }
                return .redirect(to: "/redirect?to=\(away)")
            }
            let recorder = Recorder()
            recorder.onChallenge = {
                let credential = URLCredential(user: "u", password: "p", persistence: .none)
                $0.sender?.use(credential, for: $0)
            }
            #expect(fixture.load(fixture.request("/in"), recorder).text == "hello world")
            #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
            #expect(fixture.server.requests.map(\.path) == ["/in", "/in", "/redirect"])
        }
    }

    @Test func `a challenge may wait longer than the idle limit`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            let challenge = Box<URLAuthenticationChallenge>()
            recorder.onChallenge = { challenge.value = $0 }
            var request = fixture.request("/basic")
            request.timeoutInterval = 0.5
            fixture.thread.start(request, recorder)
            #expect(recorder.wait { $0.count(.challenge) == 1 })
            // When two others with the same limit have timed out meanwhile
            var clock = fixture.request("/hang")
            clock.timeoutInterval = 0.5
            for _ in 0..<2 { #expect(fixture.load(clock).code == .timedOut) }
            #expect(!recorder.heard.hasEnded)
            let kept = try #require(challenge.value)
            let credential = URLCredential(user: "user", password: "pass", persistence: .none)
            kept.sender?.use(credential, for: kept)
            #expect(recorder.atEnd().text == "authorized")
        }
    }
}
