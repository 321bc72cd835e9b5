import TLSPeer
import TestSupport

@testable import CurlConnection

/// A run-loop thread and an authority for one test of trust on the wire.
struct TrustFixture {
    let thread = LoopThread()
    let cast: Cast

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
}

func withTrustFixture<Result>(_ body: (TrustFixture) throws -> Result) throws -> Result {
    let fixture = TrustFixture(cast: try Cast())
    defer { fixture.thread.end() }
    return try body(fixture)
}

extension URLAuthenticationChallenge {
    /// Accepts whatever the server showed.
    func acceptPeer() {
        guard let trust = protectionSpace.peerTrust else { return }
        sender?.use(PeerTrustCredential(peerTrust: trust), for: self)
    }
}
