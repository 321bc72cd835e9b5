import CurlConnection
import OperationNetworking
import TestSupport

/// No text that is made of an object shows a secret, and an error is one short line.
@Suite("Texts without secrets", .timeLimit(.minutes(5)))
struct SecretTextTests {
    private static let secrets = ["hush", "mum", "whisper"]
    private let world = TestWorld()

    init() {
        world.server.add("/secret") { _ in
            .text(
                "whisper", status: 404,
                headers: [
                    ("Set-Cookie", "sid=hush; Path=/"), ("X-Auth-Token", "mum"),
                    ("X-Plain", "seen"),
                ])
        }
    }

    private func texts(of object: Any) -> [String] {
        var dumped = ""
        dump(object, to: &dumped)
        return [String(describing: object), String(reflecting: object), dumped]
    }

    private func expectNoSecret(
        _ object: Any, _ shown: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for text in texts(of: object) {
            for secret in Self.secrets {
                #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation)
            }
        }
        for part in shown {
            #expect("\(object)".contains(part), "\(object)", sourceLocation: sourceLocation)
        }
    }

    /// The server's address with a password and a token.
    private var url: URL {
        get throws {
            var parts = try #require(
                URLComponents(url: world.server.url("/secret"), resolvingAgainstBaseURL: false))
            (parts.user, parts.password, parts.query) = ("me", "hush", "token=mum&page=2")
            return try #require(parts.url)
        }
    }

    @Test
    func `an operation shows its address and answer without secrets`() async throws {
        let operation = HTTPRequestOperation(request: URLRequest(url: try url))
        operation.credential = URLCredential(user: "u", password: "hush", persistence: .forSession)
        operation.networkThread = world.thread
        await operation.run()
        #expect(operation.responseString == "whisper")
        expectNoSecret(
            operation, ["/secret?token=REDACTED&page=2", "status: 404", "X-Plain", "seen"])
    }

    @Test
    func `a manager shows its base without its password`() throws {
        let manager = HTTPRequestOperationManager(
            baseURL: URL(string: "http://me:hush@127.0.0.1:1/v1"))
        manager.credential = URLCredential(user: "u", password: "hush", persistence: .forSession)
        manager.requestSerializer.setAuthorizationHeaderField(username: "me", password: "hush")
        expectNoSecret(manager, ["http://REDACTED@127.0.0.1:1/v1/"])
    }

    @Test
    func `a request serializer shows the names of its secret fields`() {
        for serializer in [HTTPRequestSerializer(), JSONRequestSerializer()] {
            serializer.setValue("hush", forHTTPHeaderField: "X-Api-Key")
            serializer.setValue("Bearer mum", forHTTPHeaderField: "Authorization")
            serializer.setValue("seen", forHTTPHeaderField: "X-Plain")
            expectNoSecret(serializer)
            var dumped = ""
            dump(serializer, to: &dumped)
            #expect(dumped.contains("X-Api-Key: REDACTED"))
            #expect(dumped.contains("Authorization: Bearer REDACTED"))
            #expect(dumped.contains("X-Plain: seen"))
        }
    }

    @Test
    func `stores show how much they hold, and not what`() throws {
        let credentials = CredentialStorage()
        credentials.set(
            URLCredential(user: "mum", password: "hush", persistence: .forSession),
            for: URLProtectionSpace(
                host: "a.test", port: 80, protocol: "http", realm: nil, authenticationMethod: nil))
        expectNoSecret(credentials)
        let cookies = CookieStorage()
        let cookie = HTTPCookie(properties: [
            .name: "sid", .value: "hush", .domain: "a.test", .path: "/",
        ])
        cookies.setCookie(try #require(cookie))
        #expect(cookies.cookies.count == 1)
        expectNoSecret(cookies)
    }

    @Test
    func `a refused answer's error is one line: code, sentence, address`() async throws {
        let operation = HTTPRequestOperation(request: URLRequest(url: try url))
        operation.responseSerializer = JSONResponseSerializer()
        operation.networkThread = world.thread
        await operation.run()
        _ = operation.responseObject
        let error = try #require(operation.error)
        #expect(error is ResponseSerializationError)
        expectNoSecret(
            error, ["-1011", "Request failed: not found (404)", "REDACTED&page=2>", "-1016"])
        expectNoSecret(operation.error as Any)
        expectOneLine(error)
        // What code reads is all there.
        let object = error as NSError
        #expect(object.userInfo[NSURLErrorFailingURLErrorKey] as? URL == (try url))
        #expect(object.userInfo[NetworkingError.failingURLResponseDataKey] as? Data != nil)
    }

    @Test
    func `an error of the connection is one line, and still a URLError in every way`() async throws
    {
        world.server.add("/cut") { _ in
            let head = ScriptedResponse.head(200, [("Content-Length", "100")])
            return ScriptedResponse([.bytes(head + Data("half".utf8)), .close])
        }
        let address =
            world.address("/cut")
            .replacing("http://", with: "http://me:hush@") + "?token=mum"
        let operation = world.plainOperation(URLRequest(url: try #require(URL(string: address))))
        await operation.run()
        let error = try #require(operation.error)
        expectNoSecret(error, ["-1005", "/cut?token=REDACTED>", "libcurl.easy 18"])
        expectOneLine(error)
        #expect((error as? URLError)?.code == .networkConnectionLost)
        do {
            throw error
        } catch URLError.networkConnectionLost {
        } catch {
            Issue.record("It is not caught by its code.")
        }
        let object = error as NSError
        #expect(object.domain == NSURLErrorDomain && object.code == -1005)
        // The connection takes the login out of the address itself.
        let sent = world.address("/cut") + "?token=mum"
        #expect((object.userInfo[NSURLErrorFailingURLErrorKey] as? URL)?.absoluteString == sent)
        let known = try #require(error as? URLError)
        let plain = URLError(.networkConnectionLost, userInfo: known.userInfo)
        #expect(known == plain && plain == known)
        #expect(Set([known]).contains(known))
        #expect([AnyHashable(known): 1][known] == 1)
    }

    @Test
    func `the error beneath is an NSError, which prints as one line too`() async throws {
        world.server.add("/close") { _ in ScriptedResponse([.close]) }
        let operation = world.plainOperation("/close")
        await operation.run()
        let error = try #require(operation.error as? URLError)
        let beneath = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "libcurl.easy" && beneath.code == 52)
        #expect(!beneath.localizedDescription.isEmpty)
        expectOneLine(beneath)
        let seen = (operation.error as NSError?)?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(seen?.code == 52)
    }

    @Test
    func `text that is no URL, or cannot be written, is shown without its secrets`() {
        let serializer = HTTPRequestSerializer()
        serializer.stringEncoding = .ascii
        do {
            _ = try serializer.request(
                method: "GET", urlString: "http://me:hush@127.0.0.1/a b?token=mum", parameters: nil)
            Issue.record("It is no URL.")
        } catch {
            expectNoSecret(error)
        }
    }

    private func expectOneLine(
        _ error: any Error, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for text in [String(describing: error), String(reflecting: error)] {
            #expect(text.count < 300, sourceLocation: sourceLocation)
            #expect(!text.contains("\n") && !text.contains("0x"), sourceLocation: sourceLocation)
            #expect(!text.contains("UserInfo"), sourceLocation: sourceLocation)
        }
    }
}
