import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("A second handshake within one exchange", .timeLimit(.minutes(5)))
struct SecondHandshakeTests {
    private let client: Identity
    private let credential: ClientCertificateCredential

    init() throws {
        client = try Identity(.client("somebody"))
        credential = try ClientCertificateCredential(
            certificates: [Certificate(der: client.der)], privateKey: client.keyPEM)
    }

    /// Loads `/first`, which keeps connection 1, and `/second`, which that closes without an answer,
    /// so that libcurl makes connection 2.
    private func play(
        _ world: TestWorld, _ version: Int, second: Identity?
    ) throws -> (Heard, TLSServer.Journal) {
        var settings = world.cast.settings
        settings.lowest = version
        settings.highest = version
        settings.asksForCertificate = true
        settings.identityOf = { $0 == 1 ? nil : second }
        settings.records = { connection, line in
            connection == 1 && line.contains("/second") ? [] : [TLSServer.ok]
        }
        let server = try TLSServer(settings)
        let root = world.cast.root.certificate
        var last = Heard()
        for path in ["/first", "/second"] {
            let recorder = Recorder()
            let credential = credential
            world.thread.start(
                URLRequest(url: try server.url("localhost", path)), recorder
            ) {
                $0.trustRequirements.anchors = [root]
                $0.configuration.clientCertificate = credential
            }
            last = recorder.atEnd()
            if path == "/first" { #expect(last.text == "ok") }
        }
        return (last, server.stop())
    }

    @Test(arguments: [0x0303, 0x0304])
    func `a server that was not accepted is shown no certificate and sent no request`(version: Int)
        throws
    {
        try withWorld { world in
            let stranger = try Identity(.init("stranger", names: Cast.names))
            let (heard, journal) = try play(world, version, second: stranger)
            #expect(heard.code == .serverCertificateHasUnknownRoot)
            #expect(heard.ends == 1)
            #expect(journal.clients == ["1 /CN=somebody"])
            #expect(journal.requests == ["1 /first", "1 /second"])
        }
    }

    @Test func `who asks later, on a connection that was accepted, is shown the certificate`()
        throws
    {
        try withWorld { world in
            var settings = world.cast.settings
            settings.lowest = 0x0304
            settings.asksForCertificateAt = "/later"
            let server = try TLSServer(settings)
            let root = world.cast.root.certificate
            for path in ["/first", "/later", "/next"] {
                let recorder = Recorder()
                let credential = credential
                world.thread.start(
                    URLRequest(url: try server.url("localhost", path)), recorder
                ) {
                    $0.trustRequirements.anchors = [root]
                    $0.configuration.clientCertificate = credential
                }
                #expect(recorder.atEnd().text == "ok")
                #expect(recorder.heard.count(.challenge) == 1)
                #expect((server.journal.clients.isEmpty) == (path != "/next"))
            }
            let journal = server.stop()
            #expect(journal.clients == ["1 /CN=somebody"])
            #expect(journal.requests == ["1 /first", "1 /later", "1 /next"])
        }
    }

    @Test(arguments: [0x0303, 0x0304])
    func `each handshake is judged once, and the request is repeated`(version: Int) throws {
        try withWorld { world in
            let (heard, journal) = try play(world, version, second: nil)
            #expect(heard.text == "ok")
            // The kept connection, and the new one
            #expect(heard.count(.challenge) == 2)
            #expect(journal.clients == ["1 /CN=somebody", "2 /CN=somebody"])
            #expect(journal.requests == ["1 /first", "1 /second", "2 /second"])
        }
    }
}
