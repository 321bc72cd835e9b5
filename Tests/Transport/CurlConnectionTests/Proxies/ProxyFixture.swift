import ProxyPeer
import TLSPeer
import TestSupport

@testable import CurlConnection

/// A plain server, a TLS server and a run-loop thread for one test of proxies.
struct ProxyFixture: Sendable {
    let thread = LoopThread()
    let server = LoopbackServer()
    let secure: TLSServer
    let cast: Cast

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

func withProxyFixture(_ body: (ProxyFixture) throws -> Void) throws {
    let cast = try Cast()
    let fixture = ProxyFixture(
        secure: try TLSServer(.init(cast.good, chain: [cast.middle.certificate])), cast: cast)
    try fixture.server.start()
    defer {
        fixture.thread.end()
        fixture.server.stop()
        _ = fixture.secure.stop()
    }
    try body(fixture)
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
