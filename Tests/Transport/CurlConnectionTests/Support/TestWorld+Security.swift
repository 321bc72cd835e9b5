import ProxyPeer
import TLSPeer
import TestSupport

@testable import CurlConnection

/// A server with TLS by `identity`; loads trust `authority` alone.
extension TestWorld {
    /// Starts a server; the caller stops it.
    ///
    /// - Parameter port: 0 takes any.
    static func serving(
        _ identity: TLSIdentity, port: UInt16 = 0, address: String = "127.0.0.1",
        change: (inout TLSSettings) -> Void = { _ in }
    ) throws -> LoopbackServer {
        var settings = TLSSettings(identity)
        change(&settings)
        let server = LoopbackServer(address: address, tls: settings)
        try server.start(port: port)
        return server
    }

    func start(
        _ recorder: Recorder, _ url: URL? = nil, idleLimit: TimeInterval = 60,
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) {
        let anchor = try? Certificate(der: authority.der)
        let request = URLRequest(url: url ?? server.url("/ok"), timeoutInterval: idleLimit)
        thread.start(request, recorder) {
            $0.trustRequirements.anchors = [anchor].compactMap(\.self)
            configure($0)
        }
    }

    /// Starts a load and waits until its first challenge is put, which stays open.
    func startUntilAsked(
        _ recorder: Recorder, _ url: URL? = nil, idleLimit: TimeInterval = 60,
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) -> Box<URLAuthenticationChallenge> {
        let asked = Box<URLAuthenticationChallenge>()
        recorder.onChallenge = { asked.value = $0 }
        start(recorder, url, idleLimit: idleLimit, configure: configure)
        #expect(recorder.wait { $0.count(.challenge) == 1 })
        thread.settle()
        return asked
    }
}

func withSecureWorld(
    _ change: (inout TLSSettings) -> Void = { _ in }, _ body: (TestWorld) throws -> Void
) throws {
    try withWorld(TestWorld(tls: change), body)
}

/// Servers by a cast of certificates; loads of a URL trust its root alone.
extension TestWorld {
    var cast: Cast { own { required { try Cast() } } }

    /// Serves with an identity, asks for `/`, and ends the server.
    ///
    /// - Parameter chain: what is sent after the server's own; nil means the intermediate.
    func load(
        _ identity: Identity, chain: [Certificate]? = nil, host: String = "localhost",
        _ recorder: Recorder = Recorder(),
        server change: (inout TLSServer.Settings) -> Void = { _ in }
    ) throws -> (Heard, TLSServer.Journal) {
        var settings = TLSServer.Settings(
            identity, chain: chain ?? [cast.middle.certificate])
        change(&settings)
        let server = try TLSServer(settings)
        let heard = load(try server.url(host), recorder)
        return (heard, server.stop())
    }

    /// Loads a URL to its end, with the authority as the only anchor.
    func load(_ url: URL, _ recorder: Recorder = Recorder()) -> Heard {
        start(url, recorder)
        return recorder.atEnd()
    }

    func start(
        _ url: URL, _ recorder: Recorder,
        _ configure: @escaping @Sendable (inout ServerTrustRequirements) -> Void = { _ in }
    ) {
        let root = cast.root.certificate
        thread.start(URLRequest(url: url), recorder) {
            $0.trustRequirements.anchors = [root]
            configure(&$0.trustRequirements)
        }
    }

    // MARK: Proxies

    /// A server with the good certificate.
    var secure: TLSServer {
        own(end: { _ = $0.stop() }) {
            required { try TLSServer(cast.settings) }
        }
    }

    /// Loads to the end, with the authority as the only anchor for servers.
    func load(
        _ request: URLRequest, via setting: ProxySetting, _ recorder: Recorder = Recorder()
    ) -> Heard {
        let root = cast.root.certificate
        thread.start(request, recorder) {
            $0.configuration.proxy = setting
            $0.trustRequirements.anchors = [root]
        }
        return recorder.atEnd()
    }

    func load(_ url: URL, via proxy: Proxy) -> Heard {
        load(URLRequest(url: url, timeoutInterval: 10), via: .fixed(proxy))
    }

    /// The plain server; under a name that no resolver knows if none is given.
    func named(_ path: String, host: String = "no-such-name.invalid") throws -> URL {
        try #require(URL(string: "http://\(host):\(server.port)\(path)"))
    }
}

extension HTTPProxy {
    func proxy(_ user: String? = nil, _ password: String? = nil) throws -> Proxy {
        try Proxy(.http, host: "127.0.0.1", port: Int(port), user: user, password: password)
    }
}

extension SOCKSProxy {
    func proxy(
        _ kind: Proxy.Kind, _ user: String? = nil, _ password: String? = nil
    ) throws -> Proxy {
        try Proxy(kind, host: "127.0.0.1", port: Int(port), user: user, password: password)
    }
}

extension URLAuthenticationChallenge {
    /// Accepts whatever the server showed.
    func acceptPeer() {
        guard let trust = protectionSpace.peerTrust else { return }
        sender?.use(PeerTrustCredential(peerTrust: trust), for: self)
    }
}
