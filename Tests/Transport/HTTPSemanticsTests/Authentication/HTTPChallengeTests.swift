import TestSupport

@testable import HTTPSemantics

@Suite("Challenges in a field", .timeLimit(.minutes(1)))
struct HTTPChallengeTests {
    private func read(_ fields: String...) -> [HTTPChallenge] {
        HTTPChallenge.challenges(in: fields)
    }

    private func challenge(
        _ scheme: String, _ token68: String? = nil, _ parameters: [String: String] = [:]
    ) -> HTTPChallenge {
        HTTPChallenge(scheme: scheme, token68: token68, parameters: parameters)
    }

    @Test func `a scheme may stand alone, with a token68, or with parameters`() {
        #expect(read("Negotiate") == [challenge("Negotiate")])
        #expect(read("NTLM TlRMTVNTUAACAAAA/+==") == [challenge("NTLM", "TlRMTVNTUAACAAAA/+==")])
        #expect(read("Basic realm=\"a\"") == [challenge("Basic", nil, ["realm": "a"])])
        // By the grammar.
        #expect(read("Basic realm=") == [challenge("Basic", "realm=")])
        #expect(read("Basic realm=a") == [challenge("Basic", nil, ["realm": "a"])])
    }

    @Test func `one field holds several, and several fields add up`() {
        let all = read(
            "Digest realm=\"a, b\", nonce=\"x\", qop=\"auth,auth-int\", Basic realm=\"c\"",
            "Negotiate, NTLM", "Bearer abc=, Basic realm=\"d\", charset=\"UTF-8\"")
        #expect(
            all == [
                challenge(
                    "Digest", nil, ["realm": "a, b", "nonce": "x", "qop": "auth,auth-int"]),
                challenge("Basic", nil, ["realm": "c"]),
                challenge("Negotiate"), challenge("NTLM"), challenge("Bearer", "abc="),
                challenge("Basic", nil, ["realm": "d", "charset": "UTF-8"]),
            ])
    }

    @Test func `a scheme inside quotation marks is none`() {
        let all = read("Basic realm=\"x, Digest realm=y\", Negotiate")
        #expect(all.map(\.scheme) == ["Basic", "Negotiate"])
        #expect(all.first?.parameters["realm"] == "x, Digest realm=y")
        #expect(read("(x) \"a, Negotiate\", NTLM").map(\.scheme) == ["NTLM"])
        #expect(read("realm=\"a, Negotiate\"") == [])
    }

    @Test(arguments: [
        ("Basic realm=\"a \\\"b\\\" \\\\ c\"", "a \"b\" \\ c"),
        ("Basic   realm =  \"a\"", "a"),
        ("Basic\trealm\t=\t\"a\"", "a"),
        (" , ,Basic ,realm=\"a\",,", "a"),
        ("Basic realm=\"a", "a"),
        ("Basic realm=\"a\\", "a"),
        ("Basic realm=\"\"", ""),
        ("Basic charset=\"UTF-8\" realm=\"a\"", "a"),
        ("Basic REALM=\"a\", realm=\"b\"", "a"),
        ("Basic realm=\"dömäin 漢\"", "dömäin 漢"),
        ("Basic ;junk, realm=\"a\"", "a"),
    ])
    func `what servers write in other ways is read as it was meant`(field: String, realm: String) {
        let all = read(field)
        #expect(all.map(\.scheme) == ["Basic"])
        #expect(all.first?.parameters["realm"] == realm)
    }

    @Test(arguments: ["", " ", ",,,", "=", "\"", "realm=\"a\"", "\"Basic\"", "(Basic)", "\\"])
    func `junk is no challenge`(field: String) {
        #expect(read(field).isEmpty)
    }

    @Test func `a word that no comma leads to is not a scheme`() {
        #expect(read("Basic realm=\"a\" Negotiate").map(\.scheme) == ["Basic"])
        #expect(read("(x) Negotiate, NTLM").map(\.scheme) == ["NTLM"])
    }

    @Test func `the number of challenges and parameters is bounded`() {
        let many = String(repeating: "Basic realm=\"a\", ", count: 10_000)
        #expect(read(many, many).count == HTTPChallenge.limit)
        let long = "Digest " + (0..<10_000).map { "p\($0)=v" }.joined(separator: ", ")
        #expect(read(long).first?.parameters.count == HTTPChallenge.parameterLimit)
        #expect(read(String(repeating: "\"", count: 90_000)).isEmpty)
        #expect(read(String(repeating: "a=", count: 45_000)).count <= 1)
    }

    @Test(arguments: UInt64(0)..<40)
    func `any sequence of pieces is read to its end`(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let pieces = [
            "Basic", "Digest", "Negotiate", "realm", "=", "\"", "\\", ",", " ", "\t", "a", "é",
            "\0", "\u{301}", "==", "nonce=\"", "/", ";", "TlRM",
        ]
        for _ in 0..<200 {
            let count = Int.random(in: 0..<24, using: &random)
            let field = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let all = read(field)
            #expect(all.count <= HTTPChallenge.limit, "seed \(seed): \(field)")
            #expect(all.allSatisfy { !$0.scheme.isEmpty }, "seed \(seed): \(field)")
            // What was read stays the same when it is written down and read again.
            #expect(read(all.map(written).joined(separator: ", ")) == all, "seed \(seed): \(field)")
        }
    }

    private func written(_ challenge: HTTPChallenge) -> String {
        func quoted(_ text: String) -> String {
            var result = ""
            for scalar in text.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { result += "\\" }
                result.unicodeScalars.append(scalar)
            }
            return "\"\(result)\""
        }
        let details =
            challenge.token68.map { [$0] }
            ?? challenge.parameters.sorted { $0.key < $1.key }.map { "\($0)=\(quoted($1))" }
        return ([challenge.scheme] + [details.joined(separator: ", ")]).filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}
