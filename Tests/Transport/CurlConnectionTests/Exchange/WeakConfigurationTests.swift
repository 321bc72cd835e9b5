import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("Weak protocols, ciphers and keys", .timeLimit(.minutes(1)))
struct WeakConfigurationTests {
    @Test func `R44, they are refused, whatever a delegate says`() throws {
        try withWorld { try expectRefusals($0) }
    }

    @Test func `R44, they are refused when the system's configuration allows them`() async {
        await #expect(processExitsWith: .success) {
            // Given a process that reads such a configuration before it first uses OpenSSL
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("openssl-\(UUID().uuidString).cnf")
            try """
            openssl_conf = a
            [a]
            ssl_conf = b
            [b]
            system_default = c
            [c]
            MinProtocol = TLSv1
            CipherString = ALL:COMPLEMENTOFALL:@SECLEVEL=0
            """.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            setenv("OPENSSL_CONF", file.path, 1)
            #expect(OpenSSLDefaults.securityLevel == 0)
            try withWorld { try expectRefusals($0) }
        }
    }
}

private func expectRefusals(_ world: TestWorld) throws {
    let handshakes: [(String, @Sendable (inout TLSServer.Settings) -> Void)] = [
        ("TLS 1.0", { $0.highest = 0x0301 }), ("TLS 1.1", { $0.highest = 0x0302 }),
        (
            "no authentication",
            {
                $0.highest = 0x0303
                $0.ciphers = "aNULL:@SECLEVEL=0"
            }
        ),
        (
            "no encryption",
            {
                $0.highest = 0x0303
                $0.ciphers = "eNULL:!aNULL:@SECLEVEL=0"
            }
        ),
    ]
    for (name, change) in handshakes {
        let recorder = Recorder()
        recorder.onChallenge = { $0.acceptPeer() }
        let (heard, journal) = try world.load(world.cast.good, recorder, server: change)
        #expect(heard.code == .secureConnectionFailed, "\(name)")
        #expect(heard.count(.challenge) == 0, "\(name)")
        #expect(journal.handshakes == 0 && journal.bytes == 0, "\(name)")
    }
    // Without a key that both have made up, a recording can be read by whoever gets the server's key later.
    let withRSA = try world.cast.leaf { $0.rsaBits = 2_048 }
    for (ciphers, isOffered) in [("kRSA", false), ("kECDHE+aRSA", true)] {
        let recorder = Recorder()
        let (heard, journal) = try world.load(withRSA, recorder) {
            $0.highest = 0x0303
            $0.ciphers = ciphers + ":@SECLEVEL=2"
        }
        #expect(heard.code == (isOffered ? nil : .secureConnectionFailed), "\(ciphers)")
        #expect(heard.count(.challenge) == (isOffered ? 1 : 0), "\(ciphers)")
        #expect((journal.handshakes > 0) == isOffered, "\(ciphers)")
    }
    let certificates: [(inout Identity.Form) -> Void] = [
        { $0.rsaBits = 512 }, { $0.rsaBits = 1_024 }, { $0.usesSHA1 = true },
    ]
    for (index, change) in certificates.enumerated() {
        let (heard, journal) = try world.load(world.cast.leaf(change))
        #expect(heard.error != nil, "certificate \(index)")
        #expect(journal.bytes == 0, "certificate \(index)")
    }
    for version in [0x0303, 0x0304] {
        let (heard, _) = try world.load(world.cast.good) {
            $0.lowest = version
            $0.highest = version
        }
        #expect(heard.text == "ok", "\(version)")
    }
}
