import COpenSSL
import TestSupport

@testable import CurlConnection
@testable import HTTPSemantics
@testable import LoopbackServer

/// A thread that ended while OpenSSL took its tables down crashed the process at its exit.
@Suite("At exit", .timeLimit(.minutes(5)))
struct ExitTests {
    /// What may be a process's first call into OpenSSL.
    enum FirstCall: String, Codable, CaseIterable {
        case connection, identity, certificates, key, revocationList, roots, digest, digestLock

        func make() throws {
            switch self {
            case .connection: try #require(CurlGlobal.isReady)
            case .identity: _ = try TLSIdentity(.init("localhost"))
            case .certificates: _ = try? Certificate.all(pem: Self.text)
            case .key: _ = try? ClientKey.read(Self.text)
            case .revocationList: _ = try? CertificateRevocationList(der: Self.text)
            case .roots: _ = TrustAnchors.system
            case .digest: _ = FileSum.Kind.sha256.sum(of: Self.text)
            case .digestLock: _ = DigestAlgorithm.md5.hash(Self.text)
            }
        }

        private static let text = Data("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8)
    }

    // What OpenSSL would run when it takes them down ends the process with an error.
    @Test(arguments: FirstCall.allCases)
    func `OpenSSL keeps its tables, whichever call is the first`(call: FirstCall) async {
        await #expect(processExitsWith: .success) { [call] in
            try call.make()
            try #require(OPENSSL_atexit { _exit(3) } == 1)
        }
    }
}
