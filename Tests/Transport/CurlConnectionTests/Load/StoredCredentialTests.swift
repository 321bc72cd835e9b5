import CurlConnection
import TestSupport

/// What a load takes from a credential storage and what it leaves there.
@Suite("Stored credentials on the wire", .timeLimit(.minutes(5)))
struct StoredCredentialTests {
    private static let realm = "Fake Realm"
    private static let digest = "/digest-auth/auth/user/pass/SHA-256"
    private static let basic = "/basic-auth/user/pass"

    private let storage = CredentialStorage()

    private func space(_ world: TestWorld, _ path: String) -> URLProtectionSpace {
        URLProtectionSpace(
            host: "127.0.0.1", port: Int(world.server.port), protocol: "http", realm: Self.realm,
            authenticationMethod: path == Self.digest
                ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic)
    }

    private static func credential(
        _ password: String, _ persistence: URLCredential.Persistence = .forSession
    ) -> URLCredential {
        URLCredential(user: "user", password: password, persistence: persistence)
    }

    /// Loads a path and answers each challenge with the next credential, then with none.
    private func load(
        _ world: TestWorld, _ path: String, _ credentials: URLCredential...
    ) -> Heard {
        let recorder = Recorder()
        recorder.answer(with: credentials)
        let storage = storage
        return world.load(world.request(path), recorder) {
            $0.configuration.credentialStorage = storage
        }
    }

    @Test(arguments: [digest, basic])
    func `a stored credential is used without a question, and only after the server asked`(
        path: String
    ) throws {
        try withWorld { world in
            storage.setDefaultCredential(Self.credential("pass"), for: space(world, path))
            let heard = load(world, path)
            #expect(heard.order == [.willSend, .response, .data, .finish])
            #expect(heard.responses.map(\.statusCode) == [200])
            #expect(world.server.requests.first?.headers["Authorization"] == nil)
        }
    }

    @Test(arguments: [digest, basic])
    func `a stored credential that is wrong is tried once, then the delegate is asked from zero`(
        path: String
    ) throws {
        try withWorld { world in
            storage.setDefaultCredential(Self.credential("old"), for: space(world, path))
            let heard = load(world, path, Self.credential("pass"))
            #expect(heard.status == 200)
            #expect(heard.failureCounts == [0])
            let kept = storage.defaultCredential(for: space(world, path))
            #expect(kept?.password == "pass")
        }
    }

    @Test(arguments: [digest, basic])
    func `what worked is kept if its persistence says so, and nothing else is`(path: String) throws
    {
        try withWorld { world in
            _ = load(world, path, Self.credential("pass", .none))
            #expect(storage.allCredentials.isEmpty)
            _ = load(world, path, Self.credential("wrong"))
            #expect(storage.allCredentials.isEmpty)
            _ = load(world, path, Self.credential("wrong"), Self.credential("pass"))
            #expect(storage.defaultCredential(for: space(world, path))?.password == "pass")
            #expect(storage.allCredentials.count == 1)
            // From now on nobody is asked.
            #expect(load(world, path).count(.challenge) == 0)
        }
    }

    @Test func `a credential is kept for the server, the realm and the way it was asked for`()
        throws
    {
        try withWorld { world in
            try withWorld { other in
                _ = load(world, Self.digest, Self.credential("pass"))
                #expect(load(other, Self.digest).count(.challenge) == 1)
                #expect(load(world, Self.basic).count(.challenge) == 1)
                let field = [("WWW-Authenticate", #"Digest realm="x", nonce="n", qop="auth""#)]
                world.server.add("/x") { _ in .text("no", status: 401, headers: field) }
                #expect(load(world, "/x").count(.challenge) == 1)
                #expect(other.server.requests.allSatisfy { $0.headers["Authorization"] == nil })
            }
        }
    }

    @Test func `where the delegate says no, nothing is taken from the storage and nothing kept`()
        throws
    {
        try withWorld { world in
            for (path, stored) in [(Self.digest, true), (Self.basic, true), (Self.basic, false)] {
                storage.removeAll()
                world.server.resetLog()
                if stored {
                    storage.setDefaultCredential(
                        Self.credential("stored"), for: space(world, path))
                }
                let delegate = Unwilling(Self.credential("pass"))
                let storage = storage
                let request = Box(world.request(path))
                world.thread.run {
                    guard let request = request.value else { return }
                    let connection = URLConnection(
                        request: request, delegate: delegate, startImmediately: false)
                    connection.configuration.credentialStorage = storage
                    connection.start()
                }
                #expect(delegate.hasEnded.wait(timeout: .now() + patience) == .success)
                #expect(delegate.status == 200)
                #expect(delegate.storageQuestions == 1)
                #expect(
                    storage.allCredentials.flatMap(\.credentials.values).map(\.password)
                        == (stored ? ["stored"] : []))
                #expect(world.server.requests.count { $0.headers["Authorization"] != nil } == 1)
            }
        }
    }

    @Test func `without a storage the delegate alone is asked`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { $0.sender?.use(Self.credential("pass"), for: $0) }
            world.thread.start(world.request(Self.basic), recorder) {
                $0.configuration.credentialStorage = nil
            }
            #expect(recorder.atEnd().status == 200)
            #expect(CredentialStorage.shared.credentials(for: space(world, Self.basic)) == nil)
        }
    }
}

/// A delegate that wants no storage to be used and gives one credential to everybody.
///
/// ## Concurrency
/// Call from: the connection's thread; the results from any, after `hasEnded`. Lock: none.
private final class Unwilling: URLConnectionDelegate, @unchecked Sendable {
    // @unchecked because it is written on the connection's thread and read after `hasEnded`.
    let hasEnded = DispatchSemaphore(value: 0)
    private(set) var storageQuestions = 0
    private(set) var status: Int?
    private let credential: URLCredential

    init(_ credential: URLCredential) {
        self.credential = credential
    }

    func connectionShouldUseCredentialStorage(_ connection: URLConnection) -> Bool {
        storageQuestions += 1
        return false
    }

    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        challenge.sender?.use(credential, for: challenge)
    }

    func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        status = (response as? HTTPURLResponse)?.statusCode
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        hasEnded.signal()
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        hasEnded.signal()
    }
}
