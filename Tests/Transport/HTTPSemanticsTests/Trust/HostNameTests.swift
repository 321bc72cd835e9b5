import TLSPeer
import TestSupport

@testable import HTTPSemantics

@Suite("Which certificate names which host", .timeLimit(.minutes(5)))
struct HostNameTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var host: String
        var names: String?
        var isNamed: Bool
        var commonName = "other.invalid"
        var testDescription: String { "\(host) by \(names ?? "no SAN"), \(commonName)" }

        init(_ host: String, _ names: String?, _ isNamed: Bool, cn: String = "other.invalid") {
            self.host = host
            self.names = names
            self.isNamed = isNamed
            commonName = cn
        }
    }

    static let cases: [Case] = [
        Case("a.test", "DNS:a.test", true),
        Case("A.TEST", "DNS:a.test", true),
        Case("a.test", "DNS:A.Test", true),
        Case("a.test.", "DNS:a.test", true),
        Case("a.test..", "DNS:a.test", false),
        Case("b.test", "DNS:a.test", false),
        Case("a.test.evil", "DNS:a.test", false),
        Case("xa.test", "DNS:a.test", false),
        Case(".a.test", "DNS:x.a.test", false),
        Case("", "DNS:a.test", false),
        Case(".", "DNS:a.test", false),
        Case("b.test", "DNS:a.test,DNS:b.test", true),
        // Wildcards
        Case("x.a.test", "DNS:*.a.test", true),
        Case("a.test", "DNS:*.a.test", false),
        Case("x.y.a.test", "DNS:*.a.test", false),
        Case("a.test", "DNS:*.test", false),
        Case("a.test", "DNS:*", false),
        Case("foo.a.test", "DNS:f*.a.test", false),
        Case("x.b.test", "DNS:x.*.test", false),
        Case("*.a.test", "DNS:x.a.test", false),
        // Wildcards under what a registry hands out, and under what one party owns
        Case("a.co.uk", "DNS:*.co.uk", false),
        Case("A.CO.UK.", "DNS:*.co.uk", false),
        Case("a.co.uk", "DNS:*.co.uk,DNS:a.co.uk", true),
        Case("x.a.co.uk", "DNS:*.a.co.uk", true),
        Case("a.github.io", "DNS:*.github.io", true),
        // The subject
        Case("a.test", nil, false, cn: "a.test"),
        Case("a.test", "DNS:b.test", false, cn: "a.test"),
        // Addresses
        Case("127.0.0.1", "IP:127.0.0.1", true),
        Case("127.0.0.1", "DNS:127.0.0.1", false),
        Case("127.0.0.1", "DNS:*.0.0.1", false),
        Case("127.0.0.2", "IP:127.0.0.1", false),
        Case("127.1", "IP:127.0.0.1", false),
        Case("a.test", "IP:127.0.0.1", false),
        Case("::1", "IP:::1", true),
        Case("[::1]", "IP:::1", true),
        Case("[0:0::1]", "IP:::1", true),
        Case("[fe80::1%25eth0]", "IP:fe80::1", true),
        Case("[::2]", "IP:::1", false),
        Case("127.0.0.1", nil, false, cn: "127.0.0.1"),
        // International names
        Case("bücher.test", "DNS:xn--bcher-kva.test", true),
        Case("xn--bcher-kva.test", "DNS:xn--bcher-kva.test", true),
        Case("bücher.test", "DNS:bucher.test", false),
        // Not names
        Case("a.test\0.evil", "DNS:a.test", false),
        Case("a.test/x", "DNS:a.test", false),
        Case("a test", "DNS:a.test", false),
    ]

    @Test(arguments: cases) func `a certificate names the hosts it lists and no others`(
        _ example: Case
    ) throws {
        let identity = try Identity(.init(example.commonName, names: example.names))
        #expect(
            HostName.isNamed(example.host, by: identity.certificate, allowsCommonName: false)
                == example.isNamed)
    }

    @Test func `the subject counts only when asked for, and only without a name beside it`() throws
    {
        func isNamed(_ names: String?) throws -> Bool {
            let identity = try Identity(.init("a.test", names: names))
            return HostName.isNamed("a.test", by: identity.certificate, allowsCommonName: true)
        }
        #expect(try isNamed(nil))
        #expect(try !isNamed("DNS:b.test"))
    }

    @Test func `a NUL in a name ends nothing`() throws {
        // Given a certificate for a.test, then a byte of its names turned into NUL; the signature
        // breaks, but names are compared before and apart from it
        let good = try Identity(.init("x", names: "DNS:a.testZ.evil")).certificate.der
        let marker = Data("a.testZ.evil".utf8)
        let place = try #require(good.range(of: marker))
        var patched = good
        patched[place.lowerBound + 6] = 0
        let certificate = try Certificate(der: patched)
        for allows in [true, false] {
            #expect(!HostName.isNamed("a.test", by: certificate, allowsCommonName: allows))
        }
    }
}
