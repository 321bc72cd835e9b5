import TestSupport

@testable import CurlConnection

/// HTTPS servers under one authority, and a run-loop thread, for one test.
struct SecureRoom: Sendable {
    let thread = LoopThread()
    let root: TLSIdentity
    let good: TLSIdentity
    let server: LoopbackServer

    init(_ change: (inout TLSSettings) -> Void = { _ in }) throws {
        root = try TLSIdentity(.authority("room root"))
        good = try TLSIdentity(.loopback, signedBy: root)
        server = try Self.serving(good, change: change)
    }

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

    func end() {
        thread.end()
        server.stop()
    }

    func start(
        _ recorder: Recorder, _ url: URL? = nil, idleLimit: TimeInterval = 60,
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) {
        let anchor = try? Certificate(der: root.der)
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

func withSecureRoom(
    _ change: (inout TLSSettings) -> Void = { _ in }, _ body: (SecureRoom) throws -> Void
) throws {
    let room = try SecureRoom(change)
    defer { room.end() }
    try body(room)
}
