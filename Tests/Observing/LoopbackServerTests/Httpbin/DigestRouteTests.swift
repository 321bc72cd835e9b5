import COpenSSL
import Foundation
import LoopbackServer
import Testing

@Suite("The route of Digest authentication", .timeLimit(.minutes(5)))
struct DigestRouteTests {
    /// A client's side of RFC 7616, written apart from the server's.
    private struct Key {
        var user = "ann"
        var password = "pw"
        var nonce: String
        var opaque: String
        var algorithm = "MD5"
        var quality: String? = "auth"
        var count = "00000001"
        var method = "GET"
        var body = ""

        init(_ challenge: String) {
            func value(_ name: String) -> String {
                let rest = challenge.components(separatedBy: name + "=\"").dropFirst().first
                return String((rest ?? "").prefix { $0 != "\"" })
            }
            nonce = value("nonce")
            opaque = value("opaque")
        }

        func header(_ uri: String) -> String {
            let first = hash("\(user):Fake Realm:\(password)")
            let entity = quality == "auth-int" ? ":" + hash(body) : ""
            let second = hash("\(method):\(uri)\(entity)")
            let middle = quality.map { "\(nonce):\(count):0a4f:\($0)" } ?? nonce
            let quality = quality.map { ", qop=\($0), nc=\(count), cnonce=\"0a4f\"" } ?? ""
            return "Authorization: Digest username=\"\(user)\", realm=\"Fake Realm\", "
                + "nonce=\"\(nonce)\", uri=\"\(uri)\", algorithm=\(algorithm)\(quality), "
                + "response=\"\(hash("\(first):\(middle):\(second)"))\", opaque=\"\(opaque)\""
        }

        private func hash(_ text: String) -> String {
            let function = algorithm == "MD5" ? EVP_md5() : EVP_sha256()
            var digest = [UInt8](repeating: 0, count: 64)
            var count: UInt32 = 0
            EVP_Digest(text, text.utf8.count, &digest, &count, function, nil)
            return digest.prefix(Int(count)).map { String(format: "%02x", $0) }.joined()
        }
    }

    private func key(_ client: RawClient, _ path: String) throws -> (Key, challenge: String) {
        let refusal = try client.get(path)
        #expect(refusal.status == 401)
        let challenge = try #require(refusal.header("WWW-Authenticate"))
        #expect(challenge.hasPrefix("Digest realm=\"Fake Realm\", "))
        return (Key(challenge), challenge)
    }

    @Test(arguments: ["MD5", "SHA-256"], ["auth", "auth-int", "none", "both"])
    func `the right password opens it`(algorithm: String, quality: String) throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let path = "/digest-auth/\(quality)/ann/pw/\(algorithm)"
            var (key, challenge) = try key(client, path)
            #expect(challenge.contains("algorithm=\(algorithm)"))
            #expect(challenge.contains("qop") == (quality != "none"))
            key.algorithm = algorithm
            key.quality = quality == "none" ? nil : quality == "both" ? "auth" : quality
            let answer = try client.get(path, key.header(path))
            #expect(answer.text == #"{"authenticated":true,"user":"ann"}"#)
            #expect(!challenge.contains("stale"))
        }
    }

    @Test func `whatever is wrong is refused`() throws {
        let changes: [(inout Key) -> Void] = [
            { $0.password = "else" }, { $0.user = "bob" }, { $0.method = "POST" },
            { $0.algorithm = "SHA-256" },
        ]
        try withServer { server in
            let path = "/digest-auth/auth/ann/pw"
            let client = try RawClient(port: server.port)
            for change in changes {
                var (key, _) = try key(client, path)
                change(&key)
                let refusal = try client.get(path, key.header(path))
                #expect(refusal.status == 401)
                #expect(refusal.header("WWW-Authenticate")?.contains("stale") == false)
            }
            var (key, _) = try key(client, path)
            #expect(try client.get(path, key.header("/else")).status == 400)
            key.quality = "auth-int"
            #expect(try client.get(path, key.header(path)).status == 400)
            #expect(try client.get(path, "Authorization: Digest x=\"").status == 400)
            #expect(try client.get("/digest-auth/auth/ann/pw/CRC").status == 404)
            // What is too long to be kept.
            let long = String(repeating: "1", count: 256)
            for part in [\Key.nonce, \.count] {
                (key, _) = try self.key(client, path)
                key[keyPath: part] = long
                #expect(try client.get(path, key.header(path)).status == 400)
            }
        }
    }

    @Test func `a body is part of what auth-int protects`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let path = "/digest-auth/auth-int/ann/pw"
            for (sent, status) in [("hello", 200), ("jello", 401)] {
                var (key, _) = try key(client, path)
                key.quality = "auth-int"
                key.method = "POST"
                key.body = "hello"
                client.send(
                    "POST \(path) HTTP/1.1\r\nHost: t\r\n\(key.header(path))\r\n"
                        + "Content-Length: 5\r\n\r\n\(sent)")
                #expect(try client.response().status == status)
            }
        }
    }

    @Test func `auth-int of a body that is not kept whole is refused with a sentence`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let path = "/digest-auth/auth-int/ann/pw"
            for (length, status) in [(1 << 20, 200), (1 << 20 + 1, 413)] {
                var (key, _) = try key(client, path)
                key.quality = "auth-int"
                key.method = "POST"
                key.body = String(repeating: "a", count: length)
                client.send(
                    "POST \(path) HTTP/1.1\r\nHost: t\r\n\(key.header(path))\r\n"
                        + "Content-Length: \(length)\r\n\r\n\(key.body)")
                let answer = try client.response()
                #expect(answer.status == status)
                #expect(answer.text.contains(status == 200 ? "ann" : "at most 1048576 bytes"))
            }
        }
    }

    @Test func `an old, a foreign and a repeated nonce are stale`() throws {
        try withServer { server in
            let path = "/digest-auth/auth/ann/pw/MD5/2"
            let client = try RawClient(port: server.port)
            func isStale(_ key: Key) throws -> Bool {
                let answer = try client.get(path, key.header(path))
                return answer.header("WWW-Authenticate")?.hasSuffix("stale=true") == true
            }
            var (first, _) = try key(client, path)
            #expect(try !isStale(first))
            #expect(try isStale(first), "the same count again")
            first.count = "00000002"
            #expect(try !isStale(first))
            first.count = "00000003"
            #expect(try isStale(first), "more than two requests")
            try withServer { other in
                let (foreign, _) = try key(RawClient(port: other.port), path)
                #expect(foreign.nonce != first.nonce)
                let answer = try isStale(foreign)
                #expect(answer)
            }
        }
    }
}
