import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

@Suite("Pinning mode × chain × two switches", .timeLimit(.minutes(1)))
struct TruthTableTests {
    /// One letter for each combination of the switches, in this order: none; allowing invalid
    /// chains; not looking at the name; both. `+` is accepted, `-` refused.
    private static let table: [(ShownChain, none: String, publicKey: String, certificate: String)] =
        [
            (.valid, "++++", "++++", "++++"),
            (.renewed, "++++", "++++", "----"),
            (.rekeyed, "++++", "----", "----"),
            (.extraCertificates, "++++", "++++", "++++"),
            (.pinAppended, "++++", "----", "----"),
            (.incomplete, "-+-+", "-+-+", "-+-+"),
            (.wrongHost, "--++", "----", "----"),
            (.wrongHostSameKey, "--++", "--++", "----"),
            (.expired, "-+-+", "----", "----"),
            (.expiredPinned, "-+-+", "----", "----"),
            (.otherUse, "-+-+", "----", "----"),
            (.unknownRoot, "-+-+", "----", "----"),
            (.selfSigned, "-+-+", "----", "----"),
            (.selfSignedPinned, "-+-+", "-+-+", "-+-+"),
            (.brokenSignature, "-+-+", "----", "----"),
        ]

    private let cast: Cast

    init() throws {
        cast = try Cast()
    }

    /// Twelve policies with a pin: three modes, each with four combinations of the switches.
    private func policies(_ pin: Certificate) -> [[SecurityPolicy]] {
        [SecurityPolicy.PinningMode.none, .publicKey, .certificate].map { mode in
            [(false, true), (true, true), (false, false), (true, false)].map { allows, validates in
                let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: [pin])
                policy.anchorCertificates = [cast.root.certificate]
                policy.allowInvalidCertificates = allows
                policy.validatesDomainName = validates
                return policy
            }
        }
    }

    /// What the policies make of a chain, in letters.
    private func letters(_ chain: ShownChain) throws -> [String] {
        let (identities, pin) = try chain.make(cast)
        let trust = ServerTrust(
            host: "localhost", certificates: identities.map(\.certificate))
        return policies(pin).map { row in
            row.map { policy in
                let verdict = policy.explain(trust, forDomain: "localhost")
                #expect(verdict.isAccepted == policy.evaluate(trust, forDomain: "localhost"))
                #expect(verdict.isAccepted != verdict.reasons.contains(where: \.isObjection))
                return verdict.isAccepted ? "+" : "-"
            }.joined()
        }
    }

    @Test func `R35 to R38, every combination is judged as the table says`() throws {
        #expect(Self.table.map(\.0) == ShownChain.allCases)
        for (chain, none, publicKey, certificate) in Self.table {
            #expect(try letters(chain) == [none, publicKey, certificate], "\(chain)")
        }
    }

    @Test func `Documentation/Security.md shows the table`() throws {
        let rows = try ShownChain.allCases.map { chain in
            "| \(chain.words) | " + (try letters(chain)).map(words).joined(separator: " | ") + " |"
        }
        let table = [
            "| the server shows | no pinning | public-key pins | certificate pins |",
            "| --- | --- | --- | --- |",
        ]
        try SecurityPage.expect((table + rows).joined(separator: "\n"), at: "truth table")
    }

    /// When a server is accepted, from the letters.
    private func words(_ letters: String) -> String {
        switch letters {
        case "++++": "always"
        case "----": "never"
        case "-+-+": "if invalid chains are allowed"
        case "--++": "if names are not checked"
        default: letters
        }
    }

    @Test(arguments: ShownChain.allCases)
    func `R35 to R38, on the wire as in the table, and who is refused sees no byte of a request`(
        _ chain: ShownChain
    ) throws {
        let (identities, pin) = try chain.make(cast)
        var accepted = 0
        let (good, bad) = (try server(identities), try server(identities))
        for (policy, letter) in zip(policies(pin).joined(), try letters(chain).joined()) {
            let server = letter == "+" ? good : bad
            accepted += letter == "+" ? 1 : 0
            let operation = URLConnectionOperation(
                request: URLRequest(url: try server.url("localhost")))
            operation.securityPolicy = policy
            OperationQueue().addOperations([operation], waitUntilFinished: true)
            #expect((operation.error == nil) == (letter == "+"))
        }
        #expect(good.stop().requests.count == accepted)
        let journal = bad.stop()
        #expect(journal.bytes == 0)
        #expect(journal.closed == 12 - accepted)
    }

    private func server(_ identities: [Identity]) throws -> TLSServer {
        let own = try #require(identities.first)
        return try TLSServer(.init(own, chain: identities.dropFirst().map(\.certificate)))
    }
}
