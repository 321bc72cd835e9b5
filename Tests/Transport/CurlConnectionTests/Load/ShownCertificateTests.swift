import TestSupport

@testable import CurlConnection

/// R45: what a client shows to a server that asks for a certificate.
@Suite("A client certificate on the wire", .timeLimit(.minutes(5)))
struct ShownCertificateTests {
    private static let versions: [TLSSettings.Version] = [.tls12, .tls13]

    private let authority: TLSIdentity
    private let client: TLSIdentity
    private let credential: ClientCertificateCredential

    init() throws {
        authority = try TLSIdentity(.authority("client root"))
        client = try TLSIdentity(.client("somebody"), signedBy: authority)
        credential = try Self.credential(client)
    }

    private static func credential(_ identity: TLSIdentity) throws -> ClientCertificateCredential {
        try ClientCertificateCredential(
            certificates: [Certificate(der: identity.der)], privateKey: identity.keyPEM)
    }

    private func settings(
        _ version: TLSSettings.Version, _ wish: TLSSettings.ClientCertificate
    ) -> (inout TLSSettings) -> Void {
        {
            $0.lowest = version
            $0.highest = version
            $0.clientCertificate = wish
            $0.clientAuthorities = [authority.der]
        }
    }

    private func subjects(_ server: LoopbackServer) -> [String?] {
        server.handshakes.map(\.clientSubject)
    }

    /// A delegate that answers about certificates, at once or from another thread, and accepts by
    /// default what servers show.
    private func recorder(
        isLate: Bool = false, _ answer: @escaping @Sendable (URLAuthenticationChallenge) -> Void
    ) -> Recorder {
        let recorder = Recorder()
        recorder.onChallenge = { challenge in
            guard challenge.isAboutClient else {
                challenge.sender?.performDefaultHandling(for: challenge)
                return
            }
            guard isLate else { return answer(challenge) }
            let kept = Box(challenge)
            Thread { kept.value.map(answer) }.start()
        }
        return recorder
    }

    // MARK: Given

    @Test(arguments: versions, [TLSSettings.ClientCertificate.asked, .demanded])
    func `R45, what was set beforehand is shown, and nobody is asked for a certificate`(
        version: TLSSettings.Version, wish: TLSSettings.ClientCertificate
    ) throws {
        try withSecureWorld(settings(version, wish)) { world in
            let asked = Box(0)
            let recorder = recorder {
                asked.value? += 1
                $0.sender?.cancel($0)
            }
            world.start(recorder) { $0.configuration.clientCertificate = credential }
            #expect(recorder.atEnd().text == "hello world")
            #expect(asked.value == 0)
            #expect(subjects(world.server).last == "CN = somebody")
            #expect(world.server.statistics.requests == 1)
        }
    }

    @Test(arguments: versions, [TLSSettings.ClientCertificate.asked, .demanded])
    func `R45, what the delegate gives, now or later, is shown, and one request goes out`(
        version: TLSSettings.Version, wish: TLSSettings.ClientCertificate
    ) throws {
        for isLate in [false, true] {
            try withSecureWorld(settings(version, wish)) { world in
                let credential = credential
                let issuers = Box<[Data]>()
                let recorder = recorder(isLate: isLate) {
                    issuers.value = $0.protectionSpace.clientCertificateIssuers
                    $0.sender?.use(credential, for: $0)
                }
                world.start(recorder)
                let heard = recorder.atEnd()
                #expect(heard.text == "hello world")
                #expect(!heard.wasOutsideItsThread)
                #expect(subjects(world.server).last == "CN = somebody")
                #expect(world.server.statistics.requests == 1)
                #expect(issuers.value?.count == 1)
            }
        }
    }

    // MARK: Not given

    @Test(arguments: versions, [false, true])
    func `R45, without a certificate a server that only asks is talked to all the same`(
        version: TLSSettings.Version, isLate: Bool
    ) throws {
        try withSecureWorld(settings(version, .asked)) { world in
            let recorder = recorder(isLate: isLate) {
                $0.sender?.continueWithoutCredential(for: $0)
            }
            world.start(recorder)
            #expect(recorder.atEnd().text == "hello world")
            #expect(subjects(world.server).allSatisfy { $0 == nil })
            #expect(world.server.statistics.requests == 1)
        }
    }

    @Test(arguments: versions, [false, true])
    func `R45, without a certificate a server that demands one fails the load once, unserved`(
        version: TLSSettings.Version, isLate: Bool
    ) throws {
        try withSecureWorld(settings(version, .demanded)) { world in
            let recorder = recorder(isLate: isLate) {
                $0.sender?.continueWithoutCredential(for: $0)
            }
            world.start(recorder)
            let heard = recorder.atEnd()
            #expect(heard.error != nil)
            #expect(heard.responses.isEmpty)
            #expect(world.server.statistics.requests == 0)
        }
    }

    @Test(arguments: versions, [TLSSettings.ClientCertificate.asked, .demanded])
    func `a cancelled question for a certificate is -1012, now or later, and nothing is sent`(
        version: TLSSettings.Version, wish: TLSSettings.ClientCertificate
    ) throws {
        try withSecureWorld(settings(version, wish)) { world in
            for isLate in [false, true] {
                let recorder = recorder(isLate: isLate) { $0.sender?.cancel($0) }
                world.start(recorder)
                #expect(recorder.atEnd().code?.rawValue == -1012, "late: \(isLate)")
            }
            #expect(world.server.statistics.bytesReceived == 0)
        }
    }

    @Test(arguments: versions, ["expired", "untrusted"])
    func `R45, a certificate that the server refuses fails the load, unserved`(
        version: TLSSettings.Version, fault: String
    ) throws {
        var form = TLSIdentity.Form.client("somebody")
        if fault == "expired" { form.end = -60 }
        let bad = try TLSIdentity(form, signedBy: fault == "expired" ? authority : nil)
        let credential = try Self.credential(bad)
        try withSecureWorld(settings(version, .demanded)) { world in
            let preset = Recorder()
            world.start(preset) { $0.configuration.clientCertificate = credential }
            let given = recorder { $0.sender?.use(credential, for: $0) }
            world.start(given)
            for recorder in [preset, given] {
                let heard = recorder.atEnd()
                #expect(heard.error != nil)
                #expect(heard.responses.isEmpty)
                #expect(heard.ends == 1)
            }
            #expect(world.server.statistics.requests == 0)
        }
    }

    // MARK: To whom

    @Test(arguments: versions)
    func `a redirect to another origin does not take a certificate along, set or given`(
        version: TLSSettings.Version
    ) throws {
        try withSecureWorld(settings(version, .asked)) { world in
            let other = try TestWorld.serving(world.identity, change: settings(version, .asked))
            defer { other.stop() }
            let target = other.url("/ok").absoluteString
            world.server.add("/away") { _ in .redirect(to: target) }
            let away = world.server.url("/away")
            let first = Int(world.server.port)
            let credential = credential
            let preset = Recorder()
            world.start(preset, away) { $0.configuration.clientCertificate = credential }
            let given = recorder {
                if $0.protectionSpace.port == first {
                    $0.sender?.use(credential, for: $0)
                } else {
                    $0.sender?.continueWithoutCredential(for: $0)
                }
            }
            world.start(given, away)
            #expect(preset.atEnd().text == "hello world")
            #expect(given.atEnd().text == "hello world")
            #expect(subjects(world.server).contains("CN = somebody"))
            #expect(subjects(other).allSatisfy { $0 == nil })
            #expect(other.statistics.requests == 2)
        }
    }

    @Test(arguments: versions)
    func `loads with different certificates, or none, never share a connection or a session`(
        version: TLSSettings.Version
    ) throws {
        let another = try TLSIdentity(.client("another"), signedBy: authority)
        let cards = [credential, try Self.credential(another), nil, credential]
        try withSecureWorld(settings(version, .asked)) { world in
            world.server.add("/close") { _ in
                .text("closed", headers: [("Connection", "close")]).then(.close)
            }
            for path in ["/ok", "/close", "/ok"] {
                for card in cards {
                    let recorder = Recorder()
                    world.start(recorder, world.server.url(path)) {
                        $0.configuration.clientCertificate = card
                    }
                    #expect(recorder.atEnd().error == nil)
                }
            }
            let shown = Dictionary(
                world.server.handshakes.map { ($0.connection, $0.clientSubject) },
                uniquingKeysWith: { first, _ in first })
            let names = world.server.requests.map { shown[$0.connection] ?? "none" }
            let expected = ["CN = somebody", "CN = another", nil, "CN = somebody"]
            #expect(names == expected + expected + expected)
            #expect(Set(world.server.requests.prefix(4).map(\.connection)).count == 3)
        }
    }

    // MARK: Not before the server is judged

    @Test(arguments: versions)
    func `a server that is refused was shown no certificate`(version: TLSSettings.Version) throws {
        try withSecureWorld { world in
            let stranger = try TestWorld.serving(
                TLSIdentity(.loopback), change: settings(version, .asked))
            defer { stranger.stop() }
            let credential = credential
            let preset = Recorder()
            world.start(preset, stranger.url("/ok")) {
                $0.configuration.clientCertificate = credential
            }
            #expect(preset.atEnd().code == .serverCertificateHasUnknownRoot)
            let given = recorder { $0.sender?.use(credential, for: $0) }
            world.start(given, stranger.url("/ok"))
            #expect(given.atEnd().code == .serverCertificateHasUnknownRoot)
            #expect(subjects(stranger).allSatisfy { $0 == nil })
            #expect(stranger.statistics.bytesReceived == 0)
        }
    }

    @Test(arguments: versions)
    func `the delegate is asked about the server before it is asked for a certificate`(
        version: TLSSettings.Version
    ) throws {
        try withSecureWorld(settings(version, .demanded)) { world in
            let kinds = Box<[Bool]>([])
            let credential = credential
            let recorder = Recorder()
            recorder.onChallenge = {
                kinds.value?.append($0.isAboutClient)
                if $0.isAboutClient {
                    $0.sender?.use(credential, for: $0)
                } else {
                    $0.acceptPeer()
                }
            }
            world.start(recorder)
            #expect(recorder.atEnd().text == "hello world")
            #expect(kinds.value?.first == false)
            #expect(kinds.value?.count { $0 } == 1)
        }
    }
}

extension URLAuthenticationChallenge {
    fileprivate var isAboutClient: Bool {
        protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate
    }
}
