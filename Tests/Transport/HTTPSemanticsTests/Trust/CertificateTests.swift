import HTTPSemantics
import TLSPeer
import TestSupport

@Suite("Certificates and their keys (SP-9)", .timeLimit(.minutes(5)))
struct CertificateTests {
    @Test func `DER and PEM of one certificate are equal`() throws {
        let der = try Cast().good.certificate.der
        let certificate = try Certificate(der: der)
        #expect(certificate.der == der)
        #expect(try Certificate(pem: der.asPEM) == certificate)
        #expect(Set([certificate, try Certificate(pem: der.asPEM)]).count == 1)
    }

    @Test func `a PEM text gives all of its certificates in order, whatever stands between`() throws
    {
        let cast = try Cast()
        let all = [cast.good, cast.middle, cast.root].map(\.certificate)
        let text = all.reduce(Data("some words\n".utf8)) {
            $0 + $1.der.asPEM
                + Data("-----BEGIN X-----\nAAAA\n-----END X-----\n".utf8)
        }
        #expect(try Certificate.all(pem: text) == all)
        #expect(try Certificate(pem: text) == all[0])
        #expect(try Certificate.all(pem: Data("nothing".utf8)).isEmpty)
        #expect(try Certificate.all(pem: Data()).isEmpty)
    }

    @Test func `a renewed certificate has the same key and is another`() throws {
        let cast = try Cast()
        let renewed = try cast.leaf { $0.key = cast.good }
        #expect(renewed.certificate.publicKey == cast.good.certificate.publicKey)
        #expect(renewed.certificate != cast.good.certificate)
        #expect(try cast.leaf { _ in }.certificate.publicKey != cast.good.certificate.publicKey)
    }

    @Test func `what is not one certificate in DER is refused by name`() throws {
        let der = try Cast().good.certificate.der
        for bytes in [Data(), Data("x".utf8), der.asPEM, der.dropLast(), der + [0], der + der] {
            #expect(throws: CertificateError.notDER) { try Certificate(der: bytes) }
        }
    }

    @Test func `a slice of data is read from its own start`() throws {
        let der = try Cast().good.certificate.der
        let slice = (Data([1, 2, 3]) + der).dropFirst(3)
        #expect(try Certificate(der: slice).der == der)
    }

    @Test func `what is no PEM certificate, or a broken one, is refused by name`() throws {
        let good = try Cast().good.certificate.der.asPEM
        let empty = Data("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n".utf8)
        let locked = Data(
            """
            -----BEGIN CERTIFICATE-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-256-CBC,00000000000000000000000000000000

            AAAAAAAAAAAAAAAAAAAAAA==
            -----END CERTIFICATE-----

            """.utf8)
        let other = Data(
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        for text in [Data(), Data("nothing".utf8)] {
            #expect(throws: CertificateError.notPEM) { try Certificate(pem: text) }
        }
        for broken in [good.dropLast(40), empty, locked, other] {
            #expect(throws: CertificateError.notPEM) { try Certificate(pem: broken) }
            #expect(throws: CertificateError.notPEM) { try Certificate.all(pem: good + broken) }
            #expect(throws: CertificateError.notPEM) { try Certificate.all(pem: broken + good) }
        }
    }

    @Test func `subject and dates can be shown`() throws {
        let certificate = try Cast().leaf { $0.commonName = "a\nb" }.certificate
        #expect(certificate.subject == #"CN = a\0Ab"#)
        #expect(try #require(certificate.notBefore) < Date())
        #expect(try #require(certificate.notAfter) > Date())
    }
}
