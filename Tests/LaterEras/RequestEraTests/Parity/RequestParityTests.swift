import ParitySupport
import TestSupport

@Suite("What Alamofire 4.9.1 did", .timeLimit(.minutes(5)))
struct RequestParityTests {
    @Test(arguments: RequestParity.all.map(\.file))
    func `every case is as recorded, or as a rule allows`(_ name: String) async throws {
        let parity = try #require(RequestParity.all.first { $0.file == name })
        let cases = try RequestGolden.cases(name).filter(parity.isPlayed)
        var tally = ParityTally("request-" + name)
        var listed: [String: [String]] = [:]
        for recorded in cases {
            let (verdict, rule) = await parity.verdict(recorded)
            tally.add(recorded.id, verdict)
            guard let rule else { continue }
            listed["\(rule.statement): \(rule.reason)", default: []].append(recorded.id)
        }
        print(tally.line)
        for (reason, ids) in listed.sorted(by: { $0.key < $1.key }) {
            print("  \(ids.count) \(reason) \(ids.prefix(6).joined(separator: " "))")
        }
        for other in tally.others { Issue.record("\(other.id): \(other.difference)") }
        #expect(tally.count == cases.count && tally.equal > 0)
        #expect(tally.absent == 0 || RequestGolden.areFromElsewhere)
    }

    @Test(arguments: RequestParity.all.map(\.file))
    func `each rule allows its one outcome, which is shown, and refuses a wrong one`(
        _ name: String
    ) async throws {
        let parity = try #require(RequestParity.all.first { $0.file == name })
        #expect(Set(parity.rules.map(\.reason)).count == parity.rules.count)
        let cases = try RequestGolden.own(name)
        for rule in parity.rules {
            let example =
                switch rule.example {
                case .recorded(let id): cases.first { $0.id == id }
                case .madeUp(let made): RecordedCase?.some(made)
                }
            let recorded = try #require(example, "\(rule.reason): no such case.")
            let allowed = try #require(rule.allowed(recorded), "\(rule.reason)")
            #expect(!parity.agrees(allowed, recorded.output, recorded), "\(rule.reason)")
            let seen = try await parity.play(recorded)
            #expect(
                parity.agrees(seen, allowed, recorded),
                "\(rule.reason): \(seen), allowed is \(allowed)")
            let wrong = rule.wrong(allowed)
            #expect(!parity.agrees(wrong, allowed, recorded), "\(rule.reason)")
            guard case .other = parity.verdict(recorded, on: wrong).0 else {
                Issue.record("\(recorded.id) may be \(wrong).")
                continue
            }
        }
    }

    @Test(arguments: RequestParity.all.map(\.file))
    func `a case that differs in any one member from what it shows is told`(_ name: String)
        async throws
    {
        let parity = try #require(RequestParity.all.first { $0.file == name })
        for recorded in try RequestGolden.own(name).filter(parity.isPlayed) {
            let seen = try await parity.play(recorded)
            let wrong = seen.variations.first { wrong in
                switch parity.verdict(recorded, on: wrong).0 {
                case .other: return false
                // What is recorded is right, also where a rule allows another outcome.
                case .equal: return false
                default: return !parity.agrees(wrong, seen, recorded)
                }
            }
            if let wrong { Issue.record("\(recorded.id) may be \(wrong).") }
        }
    }

    @Test
    func `every rule is needed by a case, or has a made-up one`() async throws {
        for parity in RequestParity.all {
            var used: Set<String> = []
            for recorded in try RequestGolden.own(parity.file).filter(parity.isPlayed) {
                if let rule = await parity.verdict(recorded).1 { used.insert(rule.reason) }
            }
            let madeUp = parity.rules.filter {
                if case .madeUp = $0.example { true } else { false }
            }
            let idle = Set(parity.rules.map(\.reason)).subtracting(used)
                .subtracting(madeUp.map(\.reason))
            #expect(idle == [], "\(parity.file)")
        }
    }

    @Test
    func `what nothing plays is told, never passed over`() async {
        for parity in RequestParity.all {
            let unknown = RecordedCase(["id": "unknown/case", "input": ["new": 1], "output": [:]])
            await #expect(throws: Unplayed.self, "\(parity.file)") {
                try await parity.play(unknown)
            }
        }
    }

    @Test
    func `the original's form of curl's text is still made`() throws {
        for recorded in try RequestGolden.own("lifecycle").filter(RequestParity.curl.isPlayed) {
            let text = GoldenValue.string(try CurlCases.originalText(recorded))
            #expect(
                RecordedComparison.isEqual(
                    ["debugDescription": text],
                    ["debugDescription": recorded.output["debugDescription"] ?? .null],
                    recorded.comparison),
                "\(recorded.id)")
        }
    }
}
