import TestSupport

@testable import CurlConnection

/// NTLM and Negotiate against servers that pretend: libcurl carries them out where it was built so.
@Suite("NTLM and Negotiate", .timeLimit(.minutes(5)))
struct NTLMTests {
    /// The first message of a client, and the third, in base64 up to their kind.
    private static let first = "NTLM TlRMTVNTUAAB"
    private static let third = "NTLM TlRMTVNTUAAD"
    /// A second message: signature, kind, no target name, flags (Unicode, NTLM), challenge,
    /// context.
    private static let second: String = {
        var bytes = Data("NTLMSSP\0".utf8)
        bytes += [2, 0, 0, 0] + [0, 0, 0, 0, 48, 0, 0, 0] + [0x01, 0x82, 0, 0]
        bytes += [1, 2, 3, 4, 5, 6, 7, 8] + [UInt8](repeating: 0, count: 16)
        return "NTLM " + bytes.base64EncodedString()
    }()

    private static func refusal(_ field: String) -> ScriptedResponse {
        .text("Unauthorized", status: 401, headers: [("WWW-Authenticate", field)])
    }

    /// Loads a request; each of the first challenges is answered with another password.
    private func load(
        _ world: TestWorld, _ request: URLRequest, user: String = "user", answers: Int = 1
    ) -> Heard {
        let recorder = Recorder()
        recorder.onChallenge = {
            let count = $0.previousFailureCount
            guard count < answers else {
                $0.sender?.continueWithoutCredential(for: $0)
                return
            }
            let password = user.isEmpty ? "" : "pass \(count)"
            let credential = URLCredential(user: user, password: password, persistence: .none)
            $0.sender?.use(credential, for: $0)
        }
        var request = request
        request.timeoutInterval = 20
        return world.load(request, recorder)
    }

    private func sent(_ world: TestWorld) -> [String?] {
        world.server.requests.map { $0.headers["Authorization"] }
    }

    @Test(.enabled(if: CurlGlobal.hasNTLM), arguments: ["GET", "POST"])
    func `the three messages of NTLM go over one connection, the body with the last alone`(
        method: String
    ) throws {
        try withWorld { world in
            world.server.add("/ntlm") { request in
                let field = request.headers["Authorization"] ?? ""
                if field.hasPrefix(Self.third) { return .text("authorized") }
                return Self.refusal(field.hasPrefix(Self.first) ? Self.second : "NTLM")
            }
            let bytes = Data("the body".utf8)
            var request = world.request("/ntlm", method)
            if method == "POST" { request.httpBody = bytes }
            let heard = load(world, request)
            #expect(heard.text == "authorized")
            #expect(heard.responses.map(\.statusCode) == [200])
            #expect(heard.failureCounts == [0])
            let messages = world.server.requests.suffix(2)
            #expect(
                messages.map { $0.headers["Authorization"]?.prefix(17) }
                    == [Self.first.prefix(17), Self.third.prefix(17)])
            #expect(Set(messages.map(\.connection)).count == 1)
            // One more than Basic and Digest: NTLM begins with a message of the client's.
            #expect(world.server.requests.count == 3)
            #expect(messages.first?.bodyLength == 0)
            #expect(messages.last?.body == (method == "POST" ? bytes : Data()))
        }
    }

    @Test(.enabled(if: CurlGlobal.hasNTLM))
    func `a connection that NTLM opened serves no load without that login`() throws {
        try withWorld { world in
            world.server.add("/ntlm") { request in
                let field = request.headers["Authorization"] ?? ""
                if field.hasPrefix(Self.third) { return .text("authorized") }
                return Self.refusal(field.hasPrefix(Self.first) ? Self.second : "NTLM")
            }
            #expect(load(world, world.request("/ntlm")).text == "authorized")
            let opened = try #require(world.server.requests.last?.connection)
            #expect(world.load("/ok").text == "hello world")
            #expect(world.server.requests.last?.connection != opened)
        }
    }

    @Test(
        .enabled(if: CurlGlobal.hasNTLM),
        arguments: ["NTLM", "NTLM AAAA", "NTLM TlRMTVNTUAAC", "NTLM \u{2A}", second])
    func `R61, a server that never has enough of NTLM is left after few requests`(
        answer: String
    ) throws {
        try withWorld { world in
            world.server.add("/never") { request in
                Self.refusal(request.headers["Authorization"] == nil ? "NTLM" : answer)
            }
            for method in ["GET", "POST"] {
                world.server.resetLog()
                let heard = load(world, world.request("/never", method), answers: 2)
                #expect(heard.ends == 1)
                #expect(heard.status == 401 || heard.code == .userAuthenticationRequired)
                #expect(heard.responses.count <= 1)
                #expect(heard.text == (heard.status == 401 ? "Unauthorized" : ""))
                #expect(sent(world).contains { $0?.hasPrefix(Self.first) == true })
                #expect(world.server.statistics.requests <= 10)
            }
        }
    }

    @Test(arguments: ["user", ""])
    func `Negotiate without a ticket shows the 401, and no password goes out`(user: String) throws {
        try withWorld { world in
            world.server.add("/ticket") { _ in Self.refusal("Negotiate") }
            let heard = load(world, world.request("/ticket"), user: user, answers: 3)
            #expect(heard.status == 401)
            #expect(heard.text == "Unauthorized")
            #expect(heard.ends == 1)
            #expect(sent(world).allSatisfy { $0 == nil })
            #expect(world.server.statistics.requests <= 10)
        }
    }

    @Test func `of several ways the strongest that can carry the credential is gone`() throws {
        try withWorld { world in
            world.server.add("/choice") { request in
                request.headers["Authorization"]?.hasPrefix("Digest ") == true
                    ? .text("authorized")
                    : .text(
                        "no", status: 401,
                        headers: [
                            ("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", "NTLM"),
                            ("WWW-Authenticate", #"Basic realm="r""#),
                            (
                                "WWW-Authenticate",
                                #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#
                            ),
                        ])
            }
            let heard = load(world, world.request("/choice"), answers: 5)
            #expect(heard.text == "authorized")
            #expect(sent(world).allSatisfy { $0 == nil || $0?.hasPrefix("Digest ") == true })
        }
    }
}
