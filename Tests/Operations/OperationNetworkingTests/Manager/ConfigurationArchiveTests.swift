import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

@Suite("A configuration in an archive", .timeLimit(.minutes(5)))
struct ConfigurationArchiveTests {
    private var strict: URLConnectionConfiguration {
        get throws {
            var configuration = URLConnectionConfiguration()
            configuration.cookieStorage = nil
            configuration.responseCache = try ResponseCache(memoryCapacity: 1 << 20)
            configuration.credentialStorage = CredentialStorage()
            configuration.limits.bodyInMemory = 10
            configuration.limits.redirects = 1
            configuration.limits.decompressionRatio = 2
            configuration.limits.head = 1_000
            configuration.httpMaximumConnectionsPerHost = 2
            configuration.maximumConnections = 3
            configuration.followsRedirectsFromHTTPSToHTTP = true
            configuration.minimumTLSVersion = .tls13
            configuration.unixDomainSocketPath = "/run/own.sock"
            configuration.hostAddresses = ["here.test": ["127.0.0.1"]]
            configuration.connectTimeout = 3
            configuration.maximumReceiveRate = 4
            configuration.maximumSendRate = 5
            configuration.keepsMethodAfterRedirect = true
            configuration.decodesContent = false
            configuration.proxy = .fixed(
                try Proxy(
                    .socks5h, host: "127.0.0.1", port: 9, user: "u", password: "secret",
                    exceptions: [".here.test"]))
            return configuration
        }
    }

    private func expect(_ read: URLConnectionConfiguration) throws {
        #expect(read.cookieStorage == nil)
        #expect(read.responseCache == nil)
        #expect(read.credentialStorage == nil)
        #expect(read.limits == (try strict).limits)
        #expect(read.httpMaximumConnectionsPerHost == 2)
        #expect(read.maximumConnections == 3)
        #expect(!read.followsRedirectsFromHTTPSToHTTP)
        #expect(read.minimumTLSVersion == .tls13)
        #expect(read.unixDomainSocketPath == "/run/own.sock")
        #expect(read.hostAddresses == ["here.test": ["127.0.0.1"]])
        #expect(read.connectTimeout == 3)
        #expect(read.maximumReceiveRate == 4 && read.maximumSendRate == 5)
        #expect(read.keepsMethodAfterRedirect && !read.decodesContent)
        let proxy = try Proxy(
            .socks5h, host: "127.0.0.1", port: 9, exceptions: [".here.test"])
        #expect(read.proxy == .fixed(proxy))
    }

    @Test func `an operation comes back no less strict, and without the password`() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let operation = URLConnectionOperation(request: URLRequest(url: url))
        operation.configuration = try strict
        try expect(try again(operation).configuration)
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: operation, requiringSecureCoding: true)
        #expect(data.range(of: Data("secret".utf8)) == nil)
    }

    @Test func `the shared stores come back as they are`() throws {
        let read = try again(HTTPRequestOperationManager(baseURL: nil)).configuration
        #expect(read.cookieStorage === CookieStorage.shared)
        #expect(read.responseCache === ResponseCache.shared)
        #expect(read.credentialStorage === CredentialStorage.shared)
    }

    @Test func `a manager comes back no less strict`() throws {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.configuration = try strict
        try expect(try again(manager).configuration)
    }

    @Test func `a private key is left out of the archive, which can be read`() throws {
        let identity = try Identity(.init("client"))
        let url = try #require(URL(string: "https://127.0.0.1/"))
        let operation = URLConnectionOperation(request: URLRequest(url: url))
        operation.credential = try ClientCertificateCredential(
            certificates: [identity.certificate], privateKey: identity.keyPEM)
        #expect(try again(operation).credential == nil)
    }
}
