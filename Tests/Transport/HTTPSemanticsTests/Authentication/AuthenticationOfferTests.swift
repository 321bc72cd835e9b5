import TestSupport

@testable import HTTPSemantics

@Suite("What a 401 or 407 offers", .timeLimit(.minutes(1)))
struct AuthenticationOfferTests {
    typealias Method = AuthenticationOffer.Method

    private func target(_ url: String = "http://one.test/a") throws -> AuthenticationTarget {
        let url = try #require(URL(string: url))
        return try #require(AuthenticationTarget(origin: url))
    }

    private func methods(
        _ fields: [String], of available: Set<Method> = Set(Method.allCases)
    ) throws -> [Method] {
        AuthenticationOffer.offers(in: fields, by: try target(), methods: available).map(\.method)
    }

    @Test(arguments: [
        ["Basic realm=\"r\"", "NTLM", "Digest realm=\"r\", nonce=\"n\"", "Negotiate"],
        ["negotiate, NTLM, BASIC realm=\"r\", digest realm=\"r\", nonce=\"n\""],
    ])
    func `the strongest comes first, wherever it stands`(fields: [String]) throws {
        #expect(try methods(fields) == [.negotiate, .digest, .ntlm, .basic])
        #expect(try methods(fields, of: [.digest, .basic]) == [.digest, .basic])
        #expect(try methods(fields, of: []) == [])
    }

    @Test(arguments: [[], [""], ["Bearer"], ["Basically realm=\"r\""], ["Mystery realm=\"k\""]])
    func `other schemes are not known`(fields: [String]) throws {
        #expect(try methods(fields) == [])
    }

    @Test(arguments: [
        ("nonce=\"n\"", true), ("nonce=\"n\", algorithm=MD5", true),
        ("nonce=\"n\", algorithm=\"sha-256\", qop=\"auth\"", true),
        ("nonce=\"n\", algorithm=SHA-256-sess, qop=\"auth-int, auth\"", true),
        ("nonce=\"n\", algorithm=md5-sess", false),
        ("nonce=\"n\", algorithm=SHA-512-256, qop=\"auth\"", false),
        ("nonce=\"n\", algorithm=MYSTERY-1", false),
        ("nonce=\"n\", qop=\"auth-int\"", false), ("nonce=\"n\", qop=\"new\"", true),
        ("nonce=\"\"", false), ("qop=\"auth\"", false),
        ("nonce=\"" + String(repeating: "n", count: 1_024) + "\"", false),
    ])
    func `Digest is offered where it can be answered`(parameters: String, isPossible: Bool) throws {
        let fields = ["Digest realm=\"r\", \(parameters)", "Basic realm=\"r\""]
        #expect(try methods(fields) == (isPossible ? [.digest, .basic] : [.basic]))
    }

    @Test func `of several Digest challenges the first that can be answered counts`() throws {
        let good = "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-256"
        let bad = "Digest realm=\"s\", nonce=\"n\", algorithm=SHA-512-256"
        let other = "Digest realm=\"t\", nonce=\"n\""
        let lists = [
            [good, bad], [bad, good], [good, other], [bad + ", " + good + ", " + other],
        ]
        for fields in lists {
            let offers = AuthenticationOffer.offers(
                in: fields, by: try target(), methods: [.digest])
            #expect(offers.map(\.space.realm) == ["r"])
            #expect(offers.first?.digest != nil)
        }
        #expect(try methods([bad, bad]) == [])
    }

    @Test func `one that is not ASCII is libcurl's, where it is the only one`() throws {
        let coded = "Digest realm=\"Büro\", nonce=\"n\""
        let offers = AuthenticationOffer.offers(
            in: [coded], by: try target(), methods: [.digest])
        #expect(offers.map(\.space.realm) == ["Büro"])
        #expect(offers.first?.digest == nil)
        #expect(offers.first?.usualRequests == 2)
        let several = AuthenticationOffer.offers(
            in: [coded, coded], by: try target(), methods: [.digest])
        #expect(several.map(\.space.realm) == ["Büro"])
        #expect(several.first?.usualRequests == 1)
    }

    @Test(arguments: [
        ("http://one.test/", 80), ("https://ONE.test/", 443), ("http://one.test:8080/", 8080),
    ])
    func `the space has the server's scheme, host, port and realm`(
        url: String, port: Int
    ) throws {
        let offer = try #require(
            AuthenticationOffer.offers(
                in: ["Basic realm=\"here\""], by: try target(url), methods: [.basic]
            ).first)
        #expect(offer.space.host == "one.test")
        #expect(offer.space.port == port)
        #expect(offer.space.protocol == (port == 443 ? "https" : "http"))
        #expect(offer.space.realm == "here")
        #expect(offer.space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
        #expect(!offer.space.isProxy())
    }

    @Test func `each method has Foundation's name, and no realm where none was given`() throws {
        let fields = ["Negotiate", "NTLM", "Digest nonce=\"n\"", "Basic"]
        let offers = AuthenticationOffer.offers(
            in: fields, by: try target(), methods: Set(Method.allCases))
        #expect(
            offers.map(\.space.authenticationMethod) == [
                NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodHTTPDigest,
                NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodHTTPBasic,
            ])
        #expect(offers.allSatisfy { $0.space.realm == nil })
    }

    @Test func `a proxy's space says so`() throws {
        let proxy = AuthenticationTarget(
            proxy: "Proxy.test", port: 3128, type: NSURLProtectionSpaceHTTPProxy)
        let space = try #require(
            AuthenticationOffer.offers(
                in: ["Basic realm=\"p\""], by: proxy, methods: [.basic]
            ).first?.space)
        #expect(space.isProxy())
        #expect(space.proxyType == NSURLProtectionSpaceHTTPProxy)
        #expect(space.host == "proxy.test")
        #expect(space.port == 3128)
        #expect(proxy.challengeField == "Proxy-Authenticate")
        #expect(try target().challengeField == "WWW-Authenticate")
    }

    @Test func `origins are equal by scheme, host without case, and port`() throws {
        #expect(try target("http://ONE.test:80/x") == target("HTTP://one.test/y"))
        for other in ["https://one.test/", "http://one.test:81/", "http://two.test/"] {
            #expect(try target(other) != target("http://one.test/"))
        }
        let path = try #require(URL(string: "/path"))
        #expect(AuthenticationTarget(origin: path) == nil)
    }

    private func offer(_ method: Method) throws -> AuthenticationOffer {
        AuthenticationOffer(
            method: method,
            space: try target().space(realm: "r", method: method.authenticationMethod))
    }

    @Test func `Basic sends user and password as UTF-8 in base64, as no other method does`()
        throws
    {
        let credential = URLCredential(user: "Aladdin", password: "öpen", persistence: .none)
        let expected = Data("Aladdin:öpen".utf8).base64EncodedString()
        for method in Method.allCases {
            #expect(
                try offer(method).authorization(with: credential)
                    == (method == .basic ? "Basic \(expected)" : nil))
        }
    }

    @Test func `a method takes only what it can carry`() throws {
        let password = URLCredential(user: "u", password: "p", persistence: .none)
        let cut = URLCredential(user: "u\0x", password: "p", persistence: .none)
        let ticket = URLCredential(user: "", password: "", persistence: .none)
        let trust = PeerTrustCredential(peerTrust: ServerTrust(host: "h", certificates: []))
        func carriers(_ credential: URLCredential) throws -> [Method] {
            try Method.allCases.filter { try offer($0).canCarry(credential) }
        }
        #expect(try carriers(password) == [.digest, .ntlm, .basic])
        #expect(try carriers(cut) == [.basic])
        #expect(try carriers(ticket) == [.negotiate, .digest, .ntlm, .basic])
        #expect(try carriers(trust) == [])
    }
}
