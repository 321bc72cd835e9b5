import CurlConnection
import OperationNetworking
import TestSupport

/// The acceptance cases about users and passwords, by their ids, through a manager.
/// AU-3 to AU-5.
@Suite("Acceptance cases of credentials", .timeLimit(.minutes(5)))
struct CredentialAcceptanceTests {
    private static let paths = [
        "/basic-auth/user/pass", "/digest-auth/auth/user/pass", "/digest-auth/auth/user/pass/MD5",
        "/digest-auth/auth/user/pass/SHA-256", "/digest-auth/none/user/pass",
    ]

    private let world = TestWorld.redirects()

    private static func credential(
        _ password: String, _ persistence: URLCredential.Persistence = .none
    ) -> URLCredential {
        URLCredential(user: "user", password: password, persistence: persistence)
    }

    private func url(_ path: String, secure: Bool = false) -> String {
        (secure ? world.secure : world.server).url(path).absoluteString
    }

    /// Requests that carry an answer to a challenge.
    private func tries(_ server: LoopbackServer) -> Int {
        server.requests.count { $0.headers["Authorization"] != nil }
    }

    // MARK: R60

    @Test(arguments: paths, [false, true])
    func `R60, the manager's credential opens Basic and Digest, plain and secure`(
        path: String, secure: Bool
    ) async throws {
        world.httpManager.credential = Self.credential("pass")
        for method in ["GET", "POST", "PUT"] {
            let outcome = try await world.run(url(path, secure: secure), method)
            #expect(outcome.status == 200, "\(method)")
            #expect(outcome.error == nil, "\(method)")
        }
    }

    @Test(arguments: paths)
    func `R60, a login costs two requests, and a body is sent with each`(path: String) async throws
    {
        world.httpManager.credential = Self.credential("pass")
        let body = Data(repeating: 1, count: 70_000)
        let outcome = try await world.run(
            url(path), "POST",
            change: {
                $0.httpBody = body
            })
        #expect(outcome.status == 200)
        #expect(world.server.requests.map(\.bodyLength) == [70_000, 70_000])
    }

    @Test(arguments: paths)
    func `R60, a wrong password is a 401 failure after at most two tries, body and all`(
        path: String
    ) async throws {
        world.httpManager.credential = Self.credential("wrong")
        let outcome = try await world.run(url(path))
        #expect(outcome.error != nil)
        #expect(outcome.status == 401)
        #expect(tries(world.server) == 1)
        let challenged = try await world.run(url("/basic"))
        #expect(challenged.status == 401)
        #expect(challenged.text == "Unauthorized")
    }

    @Test(arguments: paths)
    func `R60, what worked is in the storage, if that may be used`(path: String) async throws {
        let storage = try #require(world.httpManager.configuration.credentialStorage)
        for mayUse in [false, true] {
            world.httpManager.shouldUseCredentialStorage = mayUse
            world.httpManager.credential = Self.credential("pass", .forSession)
            #expect(try await world.run(url(path)).status == 200)
            #expect(storage.allCredentials.isEmpty != mayUse)
            world.httpManager.credential = nil
            #expect(try await world.run(url(path)).status == (mayUse ? 200 : 401))
        }
        world.httpManager.shouldUseCredentialStorage = false
        #expect(try await world.run(url(path)).status == 401)
    }

    @Test(arguments: paths)
    func `R60, the challenge block answers in place of the credential, now or later`(
        path: String
    ) async throws {
        world.httpManager.credential = Self.credential("wrong")
        for isLate in [false, true] {
            let outcome = try await world.run(url(path)) { operation in
                operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                    let answer: @Sendable () -> Void = { [challenge = Kept(challenge)] in
                        challenge.value.sender?.use(Self.credential("pass"), for: challenge.value)
                    }
                    isLate ? DispatchQueue.global().async(execute: answer) : answer()
                }
            }
            #expect(outcome.status == 200, "late: \(isLate)")
        }
    }

    @Test func `R60, the user and password of a URL are what is proposed, percent-decoded`()
        async throws
    {
        for path in ["/basic-auth/us er/p@ss", "/digest-auth/auth/us er/p@ss"] {
            let plain = url(path.replacing(" ", with: "%20"))
            let text = plain.replacing("://", with: "://us%20er:p%40ss@", maxReplacements: 1)
            let outcome = try await world.run(text) { operation in
                operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                    challenge.sender?.performDefaultHandling(for: challenge)
                }
            }
            #expect(outcome.status == 200)
        }
        #expect(world.server.requests.allSatisfy { !$0.target.contains("p%40ss@") })
        #expect(world.server.requests.allSatisfy { $0.headers["Host"]?.contains("@") == false })
    }

    // MARK: R61

    @Test(arguments: [
        #"Basic realm="kit""#, #"Digest realm="kit", nonce="N", qop="auth", stale=true"#,
        #"Digest realm="kit", nonce="N", qop="auth""#, #"Digest realm="kit", nonce="N""#, "NTLM",
    ])
    func `R61, a server that asks for ever is left by itself, after at most ten requests`(
        field: String
    ) async throws {
        world.server.add("/401-loop") { request in
            let nonce = "\(request.connection)-\(request.sequence)"
            return .text(
                "no", status: 401,
                headers: [("WWW-Authenticate", field.replacing("\"N\"", with: "\"\(nonce)\""))])
        }
        world.httpManager.credential = Self.credential("pass")
        let outcome = try await world.run(url("/401-loop"))
        let error = try #require(outcome.error)
        #expect(outcome.status == 401 || outcome.code == .userAuthenticationRequired)
        #expect(!error.localizedDescription.isEmpty)
        #expect(world.server.statistics.requests <= 10)
    }

    @Test func `R61, a block that always has another password is stopped after ten requests`()
        async throws
    {
        for field in [#"Basic realm="kit""#, #"Digest realm="kit", nonce="n", qop="auth""#] {
            world.server.resetLog()
            world.server.add("/401-loop") { _ in
                .text("no", status: 401, headers: [("WWW-Authenticate", field)])
            }
            let outcome = try await world.run(url("/401-loop")) { operation in
                operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                    let password = "\(challenge.previousFailureCount)"
                    challenge.sender?.use(Self.credential(password), for: challenge)
                }
            }
            #expect(outcome.code == .userAuthenticationRequired)
            #expect(outcome.error?.localizedDescription.contains("attempts") == true)
            #expect(world.server.statistics.requests <= 10)
        }
    }

    // MARK: Blocks that think

    @Test(arguments: [false, true])
    func `a cancel while the block thinks ends the operation with -999, and nothing goes out`(
        secure: Bool
    ) async throws {
        let server = secure ? world.secure : world.server
        let late = AsyncStream.makeStream(of: Kept.self)
        async let ending = world.run(url("/basic", secure: secure)) { operation in
            operation.setWillSendRequestForAuthenticationChallengeBlock {
                late.continuation.yield(Kept($1))
            }
        }
        var kept: Kept?
        for await challenge in late.stream {
            kept = challenge
            break
        }
        let challenge = try #require(kept?.value)
        world.httpManager.operations.forEach { $0.cancel() }
        let outcome = try await ending
        #expect(outcome.code == .cancelled)
        let trust = challenge.protectionSpace.peerTrust
        challenge.sender?.use(
            trust.map { PeerTrustCredential(peerTrust: $0) } ?? Self.credential("pass"),
            for: challenge)
        #expect(server.waitUntil(timeout: 20) { seen, _ in seen.connectionsOpen == 0 })
        #expect(server.statistics.requests == (secure ? 0 : 1))
    }

    // MARK: R62

    @Test func `R62, /401-cross: the credential for one host is not offered to another`()
        async throws
    {
        world.httpManager.credential = Self.credential("pass", .forSession)
        #expect(try await world.run(url("/basic")).status == 200)
        for path in ["/basic", Self.paths[3]] {
            world.lead(to: world.other.url(path).absoluteString)
            let outcome = try await world.run(world.start)
            #expect(outcome.status == 401)
        }
        #expect(world.other.statistics.requests == 2)
        #expect(tries(world.other) == 0)
    }
}

/// Takes a challenge to another thread.
private struct Kept: @unchecked Sendable {
    // @unchecked because a challenge is constant, and its sender takes answers from any thread.
    let value: URLAuthenticationChallenge

    init(_ value: URLAuthenticationChallenge) {
        self.value = value
    }
}
