import CurlConnection
import OperationNetworking
import RequestEra
import SessionEra
import SessionTasks
import TestSupport

@testable import NetworkImages

@Suite("Downloads for different people are not shared", .timeLimit(.minutes(2)))
struct SharingIdentityTests {
    private struct Token: RequestAdapter {
        struct Missing: Error {}
        let token = Locked<String?>("a")

        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            guard let token = token.withLock({ $0 }) else { throw Missing() }
            var request = urlRequest
            request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
            return request
        }
    }

    private static func login() -> URLCredential {
        URLCredential(user: "user", password: "pass", persistence: .none)
    }

    private static func certificate() throws -> ClientCertificateCredential {
        let identity = try TLSIdentity(.loopback)
        return try ClientCertificateCredential(
            certificates: Certificate.all(pem: identity.pem), privateKey: identity.keyPEM)
    }

    private static func cookie(_ value: String) throws -> HTTPCookie {
        try #require(
            HTTPCookie(properties: [.name: "who", .value: value, .domain: "a.example", .path: "/"]))
    }

    /// For whom a request is sent.
    private func who(
        _ starter: any TransferStarting, _ change: (inout URLRequest) -> Void = { _ in }
    ) throws -> AnyHashable? {
        var request = URLRequest(url: try #require(URL(string: "http://a.example/1")))
        change(&request)
        return starter.sharingIdentity(for: request).map { AnyHashable($0) }
    }

    @Test func `a manager of operations knows its credential and the cookies of the URL`() throws {
        let manager = HTTPRequestOperationManager()
        let cookies = CookieStorage()
        manager.configuration.cookieStorage = cookies
        let nobody = try who(manager)
        #expect(try who(manager) == nobody)
        manager.credential = Self.login()
        let user = try who(manager)
        #expect(try user != nobody && who(manager) == user)
        cookies.setCookie(try Self.cookie("x"))
        let visitor = try who(manager)
        #expect(try visitor != user && who(manager) == visitor)
        cookies.setCookie(try Self.cookie("y"))
        #expect(try who(manager) != visitor)
        #expect(try who(manager) { $0.httpShouldHandleCookies = false } == user)
        #expect(try who(manager) { $0.url = URL(string: "http://b.example/1") } == user)
    }

    @Test func `a manager knows the certificate that it shows to servers`() throws {
        let (one, other) = (try Self.certificate(), try Self.certificate())
        let operations = HTTPRequestOperationManager()
        let nobody = try who(operations)
        operations.configuration.clientCertificate = one
        let first = try who(operations)
        #expect(try first != nobody && who(operations) == first)
        operations.configuration.clientCertificate = other
        #expect(try who(operations) != first)

        let tasks = HTTPSessionManager(baseURL: nil)
        defer { tasks.invalidateSessionCancelingTasks(true, resetSession: false) }
        let requests = SessionManager(configuration: .ephemeral)
        let shared = RequestTransfers(requests, responseSerializer: ImageResponseSerializer())
        var configuration = URLConnectionConfiguration()
        configuration.cookieStorage = CookieStorage()
        var seen: [[AnyHashable?]] = []
        for certificate in [nil, one, other] {
            configuration.clientCertificate = certificate
            tasks.connectionConfiguration = configuration
            requests.connectionConfiguration = configuration
            seen.append([try who(tasks), try who(shared)])
            #expect(try seen.last == [who(tasks), who(shared)])
        }
        #expect(Set(seen.map { $0[0] }).count == 3 && Set(seen.map { $0[1] }).count == 3)
    }

    @Test func `a session manager knows its blocks and the cookies of the URL`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let cookies = try #require(configuration.httpCookieStorage)
        let manager = HTTPSessionManager(
            baseURL: nil, sessionConfiguration: configuration)
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        let nobody = try who(manager)
        #expect(try who(manager) == nobody)
        let login = Self.login()
        manager.setAuthenticationChallengeHandler { _, _, _, _ in .use(login) }
        let user = try who(manager)
        #expect(try user != nobody && who(manager) == user)
        cookies.setCookie(try Self.cookie("x"))
        let visitor = try who(manager)
        #expect(try visitor != user && who(manager) == visitor)
        #expect(try who(manager) { $0.httpShouldHandleCookies = false } == user)
    }

    @Test func `requests of a session manager go by credential, cookies and adapter`() throws {
        let configuration = URLSessionConfiguration.ephemeral
        let cookies = try #require(configuration.httpCookieStorage)
        let manager = SessionManager(configuration: configuration)
        let serializer = ImageResponseSerializer()
        let plain = RequestTransfers(manager, responseSerializer: serializer)
        let known = RequestTransfers(
            manager, responseSerializer: serializer, credential: Self.login())
        let nobody = try who(plain)
        #expect(try who(plain) == nobody && who(known) != nobody)
        cookies.setCookie(try Self.cookie("x"))
        let visitor = try who(plain)
        #expect(visitor != nobody)
        let adapter = Token()
        manager.adapter = adapter
        let user = try who(plain)
        #expect(try user != visitor && who(plain) == user)
        adapter.token.withLock { $0 = "b" }
        #expect(try who(plain) != user)
        // Nobody knows for whom.
        adapter.token.withLock { $0 = nil }
        #expect(try who(plain) != who(plain))
    }

    @Test func `a token that an adapter adds is shared with the same token alone`() async throws {
        let world = TestWorld.pictures()
        let manager = SessionManager(configuration: .ephemeral)
        let adapter = Token()
        manager.adapter = adapter
        let downloader = try ImageDownloader(
            manager: RequestTransfers(manager, responseSerializer: ImageResponseSerializer()))
        let ends = Log<Int>()
        for token in ["a", "a", "b"] {
            adapter.token.withLock { $0 = token }
            downloader.download(world.request("/held/7")) { ends.add($2.pixelWidth) }
        }
        #expect(await world.server.reaches("/held/7", count: 2))
        world.server.release("/held/7")
        #expect(await ends.reaches(3))
        let fields = world.server.requests.map { $0.headers["Authorization"] }
        #expect(fields.count == 2 && Set(fields) == ["Bearer a", "Bearer b"])
    }
}
