import COpenSSL
import Foundation
import Testing

@testable import CurlConnection
@testable import LoopbackServer

@Suite("libcurl's codes and errors", .timeLimit(.minutes(5)))
struct CurlCodeTests {
    @Test func `a code has libcurl's sentence`() {
        #expect(CurlCode.ok.text == "No error")
        #expect(!CurlCode.partialFile.text.isEmpty)
        #expect(CurlCode.operationTimedOut.rawValue == 28)
    }

    @Test func `an error without words of its own takes the code's`() {
        #expect(CurlError(.partialFile).message == CurlCode.partialFile.text)
        #expect(CurlError(.partialFile, message: "words").message == "words")
    }

    @Test func `an error is an NSError of libcurl's domain`() {
        let error = CurlError(.partialFile, message: "words", systemError: 104) as NSError
        #expect(error.domain == "libcurl.easy")
        #expect(error.code == 18)
        #expect(error.localizedDescription == "words")
        #expect(error.userInfo["libcurl.systemError"] as? Int == 104)
        let plain = CurlError(.partialFile) as NSError
        #expect(plain.userInfo["libcurl.systemError"] == nil)
    }

    @Test func `libcurl is initialised and new enough for the pre-request callback`() throws {
        #expect(CurlGlobal.isReady)
        let parts = CurlGlobal.version.split(separator: ".").compactMap { Int($0) }
        try #require(parts.count >= 2)
        #expect((parts[0], parts[1]) >= (7, 80))
    }

    // A thread that ended while OpenSSL took its tables down crashed the process at its exit. What
    // OpenSSL would run then ends these processes with an error.

    enum FirstCall: String, Codable, CaseIterable {
        case connection, identity, certificates, key, revocationList, roots, digest, digestLock

        func make() throws {
            switch self {
            case .connection: try #require(CurlGlobal.isReady)
            case .identity: _ = try TLSIdentity(.init("localhost"))
            case .certificates: _ = ParsedCertificate.all(pem: Self.text)
            case .key: _ = try? ClientKey.read(Self.text)
            case .revocationList: _ = ParsedRevocationList.whole(der: Self.text)
            case .roots: _ = TrustAnchors.system
            case .digest: _ = CacheDigest.sha256(Self.text)
            case .digestLock: _ = DigestAlgorithm.md5.hash(Self.text)
            }
        }

        private static let text = Data("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8)
    }

    @Test(arguments: FirstCall.allCases)
    func `OpenSSL keeps its tables at exit`(call: FirstCall) async {
        await #expect(processExitsWith: .success) { [call] in
            try call.make()
            try #require(OPENSSL_atexit { _exit(3) } == 1)
        }
    }

    @Test func `work inside libcurl runs and may nest`() {
        var depth = 0
        CurlGlobal.whileOpen {
            CurlGlobal.whileOpen { depth += 1 }
            depth += 1
        }
        #expect(depth == 2)
    }
}
