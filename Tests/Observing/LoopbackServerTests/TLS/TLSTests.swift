import COpenSSL
import Foundation
import LoopbackServer
import Testing

@Suite("TLS", .timeLimit(.minutes(5)))
struct TLSTests {
    @Test func `the routes are served by https alone`() throws {
        try withTLSServer { server, room in
            #expect(server.baseURL.absoluteString == "https://127.0.0.1:\(server.port)/")
            #expect(server.url("/ok", host: "localhost").host == "localhost")
            let client = try RawClient(port: server.port, tls: room.client)
            #expect(try client.get("/ok").text == "hello world")
            #expect(try client.get("/get").text.contains("\"url\":\"https://t/get\""))
            #expect(server.requests.map(\.isSecure) == [true, true])
            let plain = try RawClient(port: server.port)
            #expect(throws: RawClient.Failure.self) { try plain.get("/ok") }
            #expect(server.waitUntil(timeout: 20) { counted, _ in counted.failedHandshakes == 1 })
            #expect(server.requests.count == 2)
        }
    }

    @Test func `the journal has each handshake, and counts decrypted bytes`() throws {
        try withTLSServer { server, room in
            let client = try RawClient(port: server.port, tls: room.client)
            _ = try client.get("/ok")
            let request = "GET /ok HTTP/1.1\r\nHost: t\r\n\r\n"
            #expect(server.statistics.bytesReceived == request.utf8.count)
            let handshake = try #require(server.handshakes.first)
            #expect(handshake.connection == 1)
            #expect(handshake.version == "TLSv1.3")
            #expect(handshake.serverName == "localhost")
            #expect(handshake.applicationProtocol == "http/1.1")
            #expect(handshake.clientSubject == nil)
            let other = room.client { $0.protocols = "\u{2}h2" }
            _ = try RawClient(port: server.port, tls: other).get("/ok")
            #expect(server.handshakes.last?.applicationProtocol == nil)
            #expect(server.statistics.handshakes == 2)
            server.resetLog()
            #expect(server.handshakes.isEmpty)
            #expect(server.statistics.handshakes == 0)
        }
    }

    @Test func `a client refuses what it must and sends no byte of a request`() throws {
        let stranger = try TLSIdentity(.loopback)
        let rows:
            [(
                settings: (inout TLSSettings) -> Void, form: (inout TLSIdentity.Form) -> Void,
                verdict: Int32
            )] = [
                ({ $0.identity = stranger }, { _ in }, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT),
                ({ _ in }, { $0.names = "DNS:else.test" }, X509_V_ERR_HOSTNAME_MISMATCH),
                ({ _ in }, { $0.end = -60 }, X509_V_ERR_CERT_HAS_EXPIRED),
                ({ _ in }, { $0.start = 3_600 }, X509_V_ERR_CERT_NOT_YET_VALID),
                ({ _ in }, { $0.usage = "clientAuth" }, X509_V_ERR_INVALID_PURPOSE),
            ]
        for row in rows {
            try withTLSServer(row.settings, identity: row.form) { server, room in
                #expect(throws: ClientTLS.Refused(verdict: Int(row.verdict))) {
                    try RawClient(port: server.port, tls: room.client)
                }
                #expect(
                    server.waitUntil(timeout: 20) { counted, _ in counted.failedHandshakes == 1 })
                #expect(server.statistics.handshakes == 0)
                #expect(server.statistics.bytesReceived == 0)
            }
        }
    }

    @Test func `the chain is sent as it was given`() throws {
        let room = try TLSRoom()
        defer { room.end() }
        let middle = try TLSIdentity(.authority("Middle"), signedBy: room.authority)
        var settings = TLSSettings(try TLSIdentity(.loopback, signedBy: middle))
        try withServer(tls: settings) { server in
            #expect(throws: ClientTLS.Refused.self) {
                try RawClient(port: server.port, tls: room.client)
            }
        }
        settings.chain = [middle.der]
        try withServer(tls: settings) { server in
            let answer = try RawClient(port: server.port, tls: room.client).get("/ok")
            #expect(answer.status == 200)
        }
    }

    @Test func `versions stay within their bounds`() throws {
        try withTLSServer({ $0.highest = .tls12 }) { server, room in
            _ = try RawClient(port: server.port, tls: room.client).get("/ok")
            #expect(server.handshakes.first?.version == "TLSv1.2")
        }
        try withTLSServer({ $0.lowest = .tls13 }) { server, room in
            let old = room.client { $0.highest = TLSSettings.Version.tls12.rawValue }
            #expect(throws: ClientTLS.Refused(verdict: 0)) {
                try RawClient(port: server.port, tls: old)
            }
        }
    }

    @Test func `a client's certificate is asked for or demanded`() throws {
        let authority = try TLSIdentity(.authority("Clients"))
        let member = try TLSIdentity(.client("member"), signedBy: authority)
        let stranger = try TLSIdentity(.client("stranger"))
        /// The server's response, or nil without a handshake; with TLS 1.3 that is known late.
        func answer(
            _ server: LoopbackServer, _ room: TLSRoom, _ identity: TLSIdentity?
        ) -> Int? {
            let settings = room.client { $0.identity = identity }
            return try? RawClient(port: server.port, tls: settings).get("/ok").status
        }
        try withTLSServer({ $0.clientCertificate = .asked }) { server, room in
            #expect(answer(server, room, nil) == 200)
            #expect(answer(server, room, stranger) == 200)
            #expect(server.handshakes.map(\.clientSubject) == [nil, "CN = stranger"])
        }
        try withTLSServer({
            $0.clientCertificate = .demanded
            $0.clientAuthorities = [authority.der]
        }) { server, room in
            #expect(answer(server, room, nil) == nil)
            #expect(answer(server, room, stranger) == nil)
            #expect(answer(server, room, member) == 200)
            #expect(server.handshakes.map(\.clientSubject) == ["CN = member"])
            #expect(server.statistics.failedHandshakes == 2)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a session is taken up where the settings allow it`() throws {
        for (resumes, version) in [
            (true, TLSSettings.Version.tls12), (true, .tls13), (false, .tls12), (false, .tls13),
        ] {
            try withTLSServer({
                $0.highest = version
                $0.resumes = resumes
                $0.clientCertificate = .asked
            }) { server, room in
                let member = try TLSIdentity(.client("member"))
                let first = room.client { $0.identity = member }
                let client = try RawClient(port: server.port, tls: first)
                _ = try client.get("/ok")
                client.endSending()
                let again = room.client { $0.session = client.tls?.session }
                _ = try RawClient(port: server.port, tls: again).get("/ok")
                #expect(server.handshakes.map(\.isResumed) == [false, resumes], "\(version)")
                #expect(server.statistics.resumedHandshakes == (resumes ? 1 : 0))
            }
        }
    }

    @Test func `settings that OpenSSL refuses throw an error with a sentence`() throws {
        let identity = try TLSIdentity(.loopback)
        #expect(throws: LoopbackServerError.tls("bytes that are no certificate")) {
            try withServer(tls: TLSSettings(identity, chain: [Data("x".utf8)])) { _ in }
        }
        #expect(throws: LoopbackServerError.tls("extension DNS")) {
            try TLSIdentity(.init("x", names: "DNS"))
        }
        #expect(
            LoopbackServerError.tls("chain").localizedDescription
                == "OpenSSL refused the TLS settings: chain.")
    }

    @Test func `a common name beyond 64 characters throws an error with a sentence`() throws {
        _ = try TLSIdentity(.init(String(repeating: "é", count: 64)))
        let name = String(repeating: "a", count: 65)
        let error = try #require(throws: LoopbackServerError.self) { try TLSIdentity(.init(name)) }
        #expect(error == .tls("common name \(name)"))
    }

    @Test func `an identity gives its key as text`() throws {
        var form = TLSIdentity.Form("x")
        form.rsaBits = 2_048
        for identity in [try TLSIdentity(.loopback), try TLSIdentity(form)] {
            let text = String(decoding: identity.keyPEM, as: UTF8.self)
            #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
            #expect(text.hasSuffix("-----END PRIVATE KEY-----\n"))
        }
    }
}
