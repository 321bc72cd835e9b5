import CurlConnection
import OperationNetworking
import TestSupport

/// A server of somebody else's making that shows one certificate of `Tests/Shared/Peers/certs.py` a port:
/// `CERT_DIR` names the folder of the certificates, `CERT_GOOD`, `CERT_EXPIRED` and so on the
/// ports. `CertificateRecipeTests` judges the same certificates without any.
@Suite("One port for each certificate", .timeLimit(.minutes(1)))
struct CertificatePortTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let need: Comment = "Needs CERT_DIR and the CERT_ ports of a running nginx."
    private static let isAvailable =
        environment["CERT_DIR"] != nil && environment["CERT_GOOD"] != nil

    /// What the script says of a certificate.
    private struct Entry: Decodable {
        let host: String
        let accept: Bool
    }

    private static func file(_ name: String) throws -> Data {
        let folder = URL(fileURLWithPath: try #require(environment["CERT_DIR"]))
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    private func policy(
        _ mode: SecurityPolicy.PinningMode = .none, pins: [Certificate] = []
    ) throws -> SecurityPolicy {
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: pins)
        policy.anchorCertificates = [try Certificate(pem: Self.file("ca.pem"))]
        return policy
    }

    /// The operation that asked a port, after its end; nil where no such port runs.
    private func load(
        _ port: String, host: String = "localhost", path: String = "/files/hello.txt",
        _ policy: SecurityPolicy
    ) throws -> HTTPRequestOperation? {
        guard let number = Self.environment[port] else { return nil }
        let url = try #require(URL(string: "https://\(host):\(number)\(path)"))
        let operation = HTTPRequestOperation(request: URLRequest(url: url, timeoutInterval: 10))
        operation.securityPolicy = policy
        OperationQueue().addOperations([operation], waitUntilFinished: true)
        return operation
    }

    private func underlyingCode(of operation: HTTPRequestOperation) -> URLError.Code? {
        ((operation.error as? URLError)?.underlyingError as? URLError)?.code
    }

    @Test(.enabled(if: isAvailable, need))
    func `R34, 37 ports are judged as a strict client does`() throws {
        let index = try JSONDecoder().decode([String: Entry].self, from: Self.file("index.json"))
        let codes: [String: URLError.Code] = [
            "expired": .serverCertificateHasBadDate,
            "int-expired-leaf": .serverCertificateHasBadDate,
            "not-yet": .serverCertificateNotYetValid,
            "self-signed": .serverCertificateHasUnknownRoot,
            "untrusted": .serverCertificateHasUnknownRoot,
            "untrusted-with-root": .serverCertificateHasUnknownRoot,
            "incomplete": .serverCertificateHasUnknownRoot,
            "wrong-intermediate": .serverCertificateHasUnknownRoot,
        ]
        var judged = 0
        for (name, entry) in index.sorted(by: { $0.key < $1.key }) where !entry.host.isEmpty {
            let port = "CERT_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
            let operation = try #require(
                try load(port, host: entry.host, policy()), "no port \(port)")
            judged += 1
            // Only a list can tell; the next test has it
            let isAccepted = entry.accept || name == "revoked"
            #expect((operation.error == nil) == isAccepted, "\(name): \(operation.error as Any)")
            if isAccepted {
                #expect(operation.responseString == "hello", "\(name)")
            } else {
                let code = (operation.error as? URLError)?.code
                if code == .secureConnectionFailed {
                    // A key so small cannot sign what the handshake asks for
                    #expect(name == "weak-key-512", "\(name): \(operation.error as Any)")
                    continue
                }
                #expect(code == .userCancelledAuthentication, "\(name)")
                let reason = codes[name] ?? .serverCertificateUntrusted
                #expect(underlyingCode(of: operation) == reason, "\(name)")
            }
        }
        #expect(judged == 37)
    }

    @Test(.enabled(if: isAvailable, need))
    func `R46, with the authority's list the revoked one is refused`() throws {
        let policy = try policy()
        policy.certificateRevocationLists = try CertificateRevocationList.all(
            pem: Self.file("ca.crl.pem"))
        #expect(policy.certificateRevocationLists.count == 2)
        let revoked = try #require(try load("CERT_REVOKED", policy))
        #expect(underlyingCode(of: revoked) == .serverCertificateUntrusted)
        #expect(try #require(try load("CERT_GOOD", policy)).responseString == "hello")
    }

    @Test(.enabled(if: isAvailable, need))
    func `R37 and R38, pins of the good one against the renewed and the re-keyed`() throws {
        let pin = try Certificate(der: Self.file("good.der"))
        let ports = ["CERT_GOOD", "CERT_GOOD_RENEWED", "CERT_GOOD_REKEYED"]
        for (mode, expected) in [
            (SecurityPolicy.PinningMode.publicKey, [true, true, false]),
            (.certificate, [true, false, false]),
        ] {
            let accepted = try ports.map {
                try load($0, policy(mode, pins: [pin]))?.responseString == "hello"
            }
            #expect(accepted == expected)
        }
    }

    @Test(.enabled(if: isAvailable, need))
    func `R44, old protocols and weak ciphers fail, and new ones succeed`() throws {
        for allows in [false, true] {
            let policy = try policy()
            policy.allowInvalidCertificates = allows
            for port in ["NGINX_TLS10", "NGINX_TLS11", "WEAKTLS_ANON", "WEAKTLS_NULL"] {
                guard let operation = try load(port, policy) else { continue }
                #expect((operation.error as? URLError)?.code == .secureConnectionFailed, "\(port)")
            }
            for port in ["NGINX_TLS12", "NGINX_TLS13"] {
                guard let operation = try load(port, policy) else { continue }
                #expect(operation.responseString == "hello", "\(port)")
            }
        }
    }

    @Test(.enabled(if: isAvailable, need))
    func `R48, HTTP/2 is spoken where the server offers it, and plain servers fail`() throws {
        let reported = try #require(try load("NGINX_TLS", path: "/headers", policy()))
        #expect(reported.responseString?.contains(#""proto":"HTTP/2.0""#) == true)
        let plain = try #require(try load("NGINX_HTTP", policy()))
        #expect((plain.error as? URLError)?.code == .secureConnectionFailed)
    }
}
