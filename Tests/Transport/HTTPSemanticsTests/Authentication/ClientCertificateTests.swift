import COpenSSL
import TestSupport

@testable import HTTPSemantics
@testable import TLSPeer

@Suite("Client certificates", .timeLimit(.minutes(1)))
struct ClientCertificateTests {
    private static func clientForm(_ name: String = "client") -> Identity.Form {
        var form = Identity.Form(name)
        form.usage = "clientAuth"
        return form
    }

    private let server: Identity
    private let client: Identity
    private let chain: [Certificate]

    init() throws {
        let authority = try Identity(.authority("clients' authority"))
        let middle = try Identity(.authority("middle"), signedBy: authority)
        server = try Identity(Identity.Form("localhost", names: "DNS:localhost"))
        client = try Identity(Self.clientForm(), signedBy: middle)
        chain = [middle.certificate, authority.certificate]
    }

    private func error(_ body: () throws -> ClientCertificateCredential) -> ClientCertificateError?
    {
        defer { #expect(ERR_peek_error() == 0, "OpenSSL's queue of errors is not empty") }
        do {
            _ = try body()
            return nil
        } catch {
            #expect(error is ClientCertificateError)
            return error as? ClientCertificateError
        }
    }

    // MARK: What is shown

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a server that asks is shown the certificate, its chain and the key`(
        version: Int32
    ) throws {
        let parts = try ClientCertificateCredential(
            certificates: [client.certificate] + chain,
            privateKey: WrittenIdentity.key(client, .pem))
        let file = try ClientCertificateCredential(
            pkcs12: WrittenIdentity.pkcs12(client, chain: chain), password: WrittenIdentity.password
        )
        for credential in [parts, file] {
            let handshake = try ClientCertificateHandshake(
                with: server, version: version, credential)
            #expect(handshake.shown == ([client.certificate] + chain).map(\.der))
        }
        #expect(try ClientCertificateHandshake(with: server, version: version, nil).shown == nil)
    }

    @Test func `a key too weak for the context is not installed, and leaves no error behind`()
        throws
    {
        var form = Self.clientForm()
        form.rsaBits = 1_024
        let weak = try Identity(form)
        let credential = try ClientCertificateCredential(
            certificates: [weak.certificate], privateKey: WrittenIdentity.key(weak, .der))
        let context = try #require(SSL_CTX_new(TLS_client_method()))
        defer { SSL_CTX_free(context) }
        SSL_CTX_set_security_level(context, 2)
        #expect(!credential.install(in: context))
        #expect(ERR_peek_error() == 0)
        SSL_CTX_set_security_level(context, 1)
        #expect(credential.install(in: context))
    }

    // MARK: Keys

    @Test(arguments: [0, 2_048] as [UInt32])
    func `a key is read in every plain form, and a protected one is a clear error`(
        bits: UInt32
    ) throws {
        var wanted = Self.clientForm()
        wanted.rsaBits = bits
        let identity = try Identity(wanted)
        for form in WrittenIdentity.KeyForm.allCases {
            let key = try WrittenIdentity.key(identity, form)
            #expect(
                error {
                    try ClientCertificateCredential(
                        certificates: [identity.certificate], privateKey: key)
                } == (form.isProtected ? .encryptedKey : nil), "\(form)")
        }
    }

    @Test func `the key is found behind other things in a PEM text`() throws {
        let text =
            Data("a comment\n".utf8) + (try WrittenIdentity.pem(client.certificate))
            + (try WrittenIdentity.key(client, .oldPEM))
        let credential = try ClientCertificateCredential(
            certificates: Certificate.all(pem: text), privateKey: text)
        #expect(credential.certificates == [client.certificate])
    }

    @Test func `key and first certificate must belong together`() throws {
        let other = try WrittenIdentity.key(server, .pem)
        let own = try WrittenIdentity.key(client, .pem)
        let leaf = client.certificate
        #expect(
            error { try ClientCertificateCredential(certificates: [leaf], privateKey: other) }
                == .keyDoesNotMatch)
        #expect(
            error {
                try ClientCertificateCredential(certificates: chain + [leaf], privateKey: own)
            } == .keyDoesNotMatch)
        #expect(
            error { try ClientCertificateCredential(certificates: [], privateKey: own) }
                == .noCertificate)
    }

    @Test func `what is no key is said to be none`() throws {
        let der = try WrittenIdentity.key(client, .der)
        let public_ = Data("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n".utf8)
        for bytes in [
            Data(), Data([0]), Data("text".utf8), der + [0], Data(der.dropLast()), public_,
            try WrittenIdentity.pem(client.certificate), client.certificate.der,
            Data("-----BEGIN PRIVATE KEY-----\n".utf8),
        ] {
            #expect(
                error {
                    try ClientCertificateCredential(
                        certificates: [client.certificate], privateKey: bytes)
                } == .noKey)
        }
    }

    // MARK: PKCS#12

    @Test(arguments: ["", "x", "pässwörd 🔑", String(repeating: "long", count: 60)], [false, true])
    func `a file opens with its password and no other`(password: String, isOld: Bool) throws {
        let file = try WrittenIdentity.pkcs12(
            client, chain: chain, password: password, isOld: isOld)
        let credential = try ClientCertificateCredential(pkcs12: file, password: password)
        #expect(credential.certificates == [client.certificate] + chain)
        for wrong in ["y", password + "x", password + "\0", password.isEmpty ? " " : ""] {
            #expect(
                error { try ClientCertificateCredential(pkcs12: file, password: wrong) }
                    == .wrongPassword)
        }
    }

    @Test func `a file without any password opens with the empty one`() throws {
        let file = try WrittenIdentity.pkcs12(client, password: nil)
        let credential = try ClientCertificateCredential(pkcs12: file, password: "")
        #expect(credential.certificates == [client.certificate])
    }

    @Test func `what is no file with a key is said to be none`() throws {
        let file = try WrittenIdentity.pkcs12(client)
        let bare = try WrittenIdentity.pkcs12(client, hasKey: false)
        let cases: [(Data, ClientCertificateError)] = [
            (Data(), .notPKCS12), (Data([0x30]), .notPKCS12), (Data("text".utf8), .notPKCS12),
            (file + [0], .notPKCS12), (Data(file.dropLast()), .notPKCS12),
            (Data(file.base64EncodedString().utf8), .notPKCS12),
            (client.certificate.der, .notPKCS12), (bare, .noKey),
        ]
        for (bytes, expected) in cases {
            #expect(
                error {
                    try ClientCertificateCredential(
                        pkcs12: bytes, password: WrittenIdentity.password)
                } == expected)
        }
    }

    @Test func `a file that asks for millions of rounds is refused at once`() throws {
        var file = try WrittenIdentity.pkcs12(client, macRounds: 0x01_23_45)
        let rounds = try #require(file.range(of: Data([2, 3, 0x01, 0x23, 0x45])))
        file.replaceSubrange(rounds, with: [2, 3, 0x7F, 0xFF, 0xFF])
        let start = ContinuousClock.now
        #expect(
            error {
                try ClientCertificateCredential(pkcs12: file, password: WrittenIdentity.password)
            } == .notPKCS12)
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test(arguments: UInt64(0)..<4)
    func `any damage to a file is an error or harmless`(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let file = try WrittenIdentity.pkcs12(client, chain: chain)
        for _ in 0..<60 {
            var bytes = file
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            if Bool.random(using: &random) {
                bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
            }
            _ = error {
                try ClientCertificateCredential(pkcs12: bytes, password: WrittenIdentity.password)
            }
        }
    }

    // MARK: As a value

    @Test func `identity and equality follow the certificates`() throws {
        func credential(
            _ identity: Identity, _ chain: [Certificate] = [],
            _ form: WrittenIdentity.KeyForm = .pem
        ) throws -> ClientCertificateCredential {
            try ClientCertificateCredential(
                certificates: [identity.certificate] + chain,
                privateKey: WrittenIdentity.key(identity, form))
        }
        let first = try credential(client)
        let again = try credential(client, [], .oldDER)
        let file = try ClientCertificateCredential(
            pkcs12: WrittenIdentity.pkcs12(client), password: WrittenIdentity.password)
        #expect(Set([first.identity, again.identity, file.identity]).count == 1)
        #expect(Set([first, again, file]).count == 1)
        #expect(first.identity.count == 32)
        let others = [
            first, try credential(client, chain), try credential(client, chain.reversed()),
            try credential(server),
        ]
        #expect(Set(others.map(\.identity)).count == 4)
        #expect(Set(others).count == 4)
        #expect(!first.isEqual(URLCredential(user: "", password: "", persistence: .none)))
        #expect(first.copy() as? ClientCertificateCredential === first)
    }

    @Test func `no description shows the password or the key`() throws {
        let credential = try ClientCertificateCredential(
            pkcs12: WrittenIdentity.pkcs12(client, password: "hush"), password: "hush")
        var text = "\(credential) \(credential.debugDescription)"
        dump(credential, to: &text)
        let key = try WrittenIdentity.key(client, .oldDER)
        #expect(!text.contains("hush"))
        #expect(!text.contains(key.base64EncodedString().prefix(40)))
        #expect(!text.contains(key.prefix(24).map { String($0) }.joined(separator: ", ")))
        #expect(credential.persistence == .none)
    }

    @Test func `a challenge's space names the method and the authorities`() {
        let space = ClientCertificateSpace(host: "one.test", port: 443, issuers: [Data([1])])
        #expect(space.authenticationMethod == "NSURLAuthenticationMethodClientCertificate")
        #expect(space.clientCertificateIssuers == [Data([1])])
        #expect(space.host == "one.test" && space.port == 443 && space.protocol == "https")
        let other = URLProtectionSpace(
            host: "one.test", port: 443, protocol: "https", realm: nil, authenticationMethod: nil)
        #expect(other.clientCertificateIssuers == nil)
    }

    @Test func `each error has its number and its sentence`() {
        let errors = (1...7).compactMap(ClientCertificateError.init)
        #expect(errors.count == 7)
        #expect(Set(errors.map(\.localizedDescription)).count == 7)
    }
}
