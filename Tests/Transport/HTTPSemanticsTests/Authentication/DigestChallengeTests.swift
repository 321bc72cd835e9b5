import TestSupport

@testable import HTTPSemantics

@Suite("Answers to Digest", .timeLimit(.minutes(1)))
struct DigestChallengeTests {
    private static let rfc7616 =
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
    private static let rfc2069 =
        #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#

    private func challenge(_ field: String, clientNonce: String? = nil) throws -> DigestChallenge {
        let read = try #require(HTTPChallenge.challenges(in: [field]).first)
        return try #require(DigestChallenge(read, clientNonce: clientNonce))
    }

    private func credential(_ user: String, _ password: String) -> URLCredential {
        URLCredential(user: user, password: password, persistence: .none)
    }

    private func value(_ name: String, _ answer: String) -> String {
        let rest = answer.components(separatedBy: name + "=").dropFirst().first ?? ""
        return String(rest.prefix { $0 != "," }).replacing("\"", with: "")
    }

    // The first two of RFC 7616 section 3.9.1; those of sessions from another implementation.
    @Test(arguments: [
        ("MD5", ["8ca523f5e9506fed4657c9700eebdbec"]),
        ("SHA-256", ["753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"]),
        ("md5-sess", ["e783283f46242139c486a698fec7211d", "6914b51e16f9459d9abc967ad41c4599"]),
        (
            "SHA-256-sess",
            [
                "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7",
                "6bb0010aa4bdf46422a798c509ea32e256f27bd37de5cc3bdf8ed51e1d77d650",
            ]
        ),
    ])
    func `the responses are those of RFC 7616`(algorithm: String, responses: [String]) throws {
        var challenge = try challenge(
            Self.rfc7616 + ", algorithm=\(algorithm)",
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        for (index, response) in responses.enumerated() {
            let answer = challenge.answer(
                "GET", "/dir/index.html", with: credential("Mufasa", "Circle of Life"))
            #expect(
                answer
                    == #"Digest username="Mufasa", realm="http-auth@example.org", "#
                    + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
                    + #"uri="/dir/index.html", "#
                    + #"cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "#
                    + #"nc=0000000\#(index + 1), qop=auth, response="\#(response)", "#
                    + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", "#
                    + "algorithm=\(algorithm)")
        }
    }

    @Test func `without a quality the response is that of RFC 2069`() throws {
        for quality in ["", #", qop="new""#] {
            var challenge = try challenge(Self.rfc2069 + quality)
            let made = challenge.answer(
                "GET", "/dir/index.html", with: credential("Mufasa", "CircleOfLife"))
            let answer = try #require(made)
            #expect(value("response", answer) == "1949323746fe6a43ef61f9606e7febea")
            for name in ["qop", "nc", "cnonce", "opaque", "algorithm"] {
                #expect(!answer.contains(" \(name)="))
            }
        }
    }

    @Test func `a user name is hidden where the server asks for that`() throws {
        for (algorithm, hash) in [
            ("MD5", "4238f3a16167373febb9bc4d43db9cc4"),
            ("SHA-256", "a947aad205e80e429958a387394944c6b496301e79f89d35a4cc23b6ee12b5b6"),
        ] {
            var challenge = try challenge(
                Self.rfc7616 + ", userhash=TRUE, algorithm=\(algorithm)")
            let made = challenge.answer("GET", "/", with: credential("Mufasa", "Circle of Life"))
            let answer = try #require(made)
            #expect(value("username", answer) == hash)
            #expect(answer.hasSuffix(", userhash=true"))
        }
    }

    @Test func `what a server or a user writes stays inside its quotation marks`() throws {
        var challenge = try challenge(
            #"Digest realm="a\"b\\c", nonce="n\", x=\"", opaque="", qop=auth"#)
        let made = challenge.answer("GET", "/", with: credential(#"us"er\"#, "p"))
        let answer = try #require(made)
        #expect(
            answer.hasPrefix(
                #"Digest username="us\"er\\", realm="a\"b\\c", nonce="n\", x=\"", uri="/", "#))
        #expect(answer.contains(#", opaque="""#))
        let read = HTTPChallenge.challenges(in: [answer])
        #expect(read.count == 1)
        #expect(read.first?.parameters["nonce"] == #"n", x=""#)
    }

    @Test func `no control byte and no long value of a server is sent back`() throws {
        let long = String(repeating: "n", count: 1_024)
        for value in ["a\u{1}b", "a\u{7F}b", "a\0b", long] {
            for name in ["realm", "nonce", "opaque"] {
                var parameters = ["realm": "r", "nonce": "n", "opaque": "o"]
                parameters[name] = value
                let read = HTTPChallenge(scheme: "Digest", parameters: parameters)
                #expect(DigestChallenge(read) == nil)
            }
        }
        let read = HTTPChallenge(
            scheme: "Digest", parameters: ["nonce": "n", "domain": long, "realm": "a\tb"])
        #expect(DigestChallenge(read) != nil)
    }

    @Test func `each challenge has a client's nonce of its own`() throws {
        let nonces = try (0..<100).map { _ in
            var challenge = try challenge(Self.rfc7616)
            let answer = challenge.answer("GET", "/", with: credential("u", "p"))
            return value("cnonce", try #require(answer))
        }
        #expect(Set(nonces).count == 100)
        #expect(nonces.allSatisfy { $0.utf8.count == 32 })
    }

    // MARK: Which nonce

    private let password = passwordCredential("good")

    private func offers(
        _ target: AuthenticationTarget, nonce: String, isStale: Bool = false, realm: String = "r"
    ) -> [AuthenticationOffer] {
        let stale = isStale ? ", stale=true" : ""
        return AuthenticationOffer.offers(
            in: [#"Digest realm="\#(realm)", nonce="\#(nonce)", qop="auth"\#(stale)"#],
            by: target, methods: [.digest])
    }

    private func begun(_ target: AuthenticationTarget) throws -> AuthenticationTries {
        var tries = AuthenticationTries()
        tries.moves(to: target)
        let step = refuse(&tries, offers(target, nonce: "n1"))
        #expect(question(step)?.previousFailureCount == 0)
        _ = tries.answered(.use(password))
        _ = tries.authorization(for: .origin, method: "GET", target: "/")
        return tries
    }

    private func refuse(
        _ tries: inout AuthenticationTries, _ offers: [AuthenticationOffer]
    ) -> AuthenticationTries.Step {
        tries.refused(by: .origin, offers: offers, requests: 1, proposed: nil) { _ in nil }
    }

    private func question(_ step: AuthenticationTries.Step) -> AuthenticationQuestion? {
        if case .ask(let question) = step { return question }
        return nil
    }

    private func isSent(_ step: AuthenticationTries.Step) -> Bool {
        if case .send = step { return true }
        return false
    }

    private var target: AuthenticationTarget? {
        URL(string: "http://one.test/").flatMap { AuthenticationTarget(origin: $0) }
    }

    @Test func `a stale nonce is replaced unasked, ten requests at most`() throws {
        let target = try #require(target)
        var tries = try begun(target)
        for count in 2..<10 {
            #expect(isSent(refuse(&tries, offers(target, nonce: "n\(count)", isStale: true))))
            let answer = tries.authorization(for: .origin, method: "GET", target: "/")
            #expect(answer?.contains("nonce=\"n\(count)\"") == true)
            #expect(answer?.contains("nc=00000001") == true)
        }
        guard case .giveUp = refuse(&tries, offers(target, nonce: "n", isStale: true)) else {
            Issue.record("more than ten requests")
            return
        }
    }

    @Test func `a nonce that was good before is replaced unasked, once`() throws {
        let target = try #require(target)
        var tries = try begun(target)
        #expect(tries.received(status: 302).count == 1)
        _ = tries.authorization(for: .origin, method: "GET", target: "/")
        #expect(isSent(refuse(&tries, offers(target, nonce: "n2"))))
        _ = tries.authorization(for: .origin, method: "GET", target: "/")
        #expect(question(refuse(&tries, offers(target, nonce: "n3")))?.previousFailureCount == 0)
    }

    @Test func `a wrong password is a failure, whatever nonce the refusal has`() throws {
        let target = try #require(target)
        for realm in ["r", "other"] {
            var tries = try begun(target)
            let step = refuse(&tries, offers(target, nonce: "n2", realm: realm))
            #expect(question(step)?.previousFailureCount == 1)
        }
    }

    @Test func `an answer made for one realm says nothing to another`() throws {
        let target = try #require(target)
        var tries = try begun(target)
        _ = tries.received(status: 302)
        let step = refuse(&tries, offers(target, nonce: "n2", realm: "other"))
        #expect(question(step)?.previousFailureCount == 0)
        #expect(question(step)?.proposed == nil)
        #expect(isSent(tries.answered(.use(password))))
    }
}
