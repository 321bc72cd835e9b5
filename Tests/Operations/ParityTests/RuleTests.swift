import ParitySupport
import TestSupport

/// That rules of deliberate differences allow what they say and nothing besides.
@Suite("Rules of deliberate differences", .timeLimit(.minutes(5)))
struct RuleTests {
    @Test
    func `each rule has its example of what it refuses, and each example its rule`() {
        for family in CaseFamily.all {
            let rules = family.rules.map { "\(family.files[0]) \($0.cause) \($0.reason)" }
            let examples = Refusal.all.filter { $0.file == family.files[0] }
                .map { "\($0.file) \($0.cause) \($0.reason)" }
            #expect(Set(rules).count == rules.count)
            #expect(Set(examples) == Set(rules))
        }
        let files = Set(CaseFamily.all.map(\.files[0]))
        #expect(Set(Refusal.all.map(\.file)).isSubset(of: files))
    }

    @Test(arguments: Refusal.all)
    func `a rule allows its one outcome and refuses a wrong one`(_ example: Refusal) throws {
        let family = try #require(CaseFamily.of(file: example.file))
        let rule = try #require(
            family.rules.first { $0.reason == example.reason && $0.cause == example.cause })
        let recorded = try #require(
            example.recorded ?? family.files.flatMap(GoldenFile.known).first { $0.id == example.id }
        )
        let allowed = try #require(rule.allowed(recorded), "The rule is not about \(recorded.id).")
        switch family.verdict(recorded, on: allowed).0 {
        case .deliberate, .foundation: break
        case let verdict: Issue.record("What the rule allows is \(verdict).")
        }
        let seen = family.play(recorded)
        #expect(seen.agrees(with: allowed), "\(seen), allowed is \(allowed)")
        let wrong = example.wrong(recorded, allowed)
        #expect(!wrong.agrees(with: allowed), "The example is no wrong outcome.")
        guard case .other = family.verdict(recorded, on: wrong).0 else {
            Issue.record("\(recorded.id) may be \(wrong).")
            return
        }
    }

    @Test
    func `no rule is about a case that shows the recorded outcome without it`() {
        for family in CaseFamily.all {
            var used: Set<String> = []
            for recorded in family.files.flatMap(GoldenFile.known) {
                if let rule = family.verdict(recorded).1 { used.insert(rule.reason) }
            }
            // The others are of cases that are not in this package; their examples are made up.
            let madeUp = Refusal.all.filter { $0.recorded != nil }.map(\.reason)
            let idle = Set(family.rules.map(\.reason)).subtracting(used).subtracting(madeUp)
            #expect(idle == [], "\(family.files[0])")
        }
    }

    @Test
    func `a case that differs in any one member from what it shows is told`() {
        for family in CaseFamily.all {
            for recorded in family.files.flatMap(GoldenFile.known) {
                let seen = family.play(recorded)
                var allowed = Array(family.allowed(recorded)).map(\.outcome)
                // Where a rule allows another, what is recorded is not wrong.
                if !seen.agrees(with: allowed[0]) { allowed.removeFirst() }
                let wrong = Mutation.all(of: seen, recorded).first { wrong in
                    allowed.contains { wrong.agrees(with: $0) }
                }
                if let wrong { Issue.record("\(recorded.id) may be \(wrong).") }
            }
        }
    }

    @Test
    func `the nine bodies that are nothing rightly stay nothing`() throws {
        var count = 0
        for recorded in GoldenFile.known("response-serialization")
        where recorded.input["serializer"] == "json" && recorded.output["error"] == .null
            && recorded.output["object"]?.isNil == true && UndecodableBody(recorded) == nil
        {
            count += 1
            let error = GoldenValue.responseError(
                -1016, "Request failed: the body could not be decoded as text", recorded.input,
                more: ["NSLocalizedFailureReason": "The body is not text in Unicode (UTF-8)."])
            let wrong = RequestRules.changed(recorded, ["error": error])
            guard case .other = CaseFamily.responses.verdict(recorded, on: wrong).0,
                case .equal = CaseFamily.responses.verdict(recorded).0
            else {
                Issue.record("\(recorded.id) may be an error.")
                continue
            }
        }
        #expect(count >= 9)
    }
}

/// Outcomes that differ from one in one place.
enum Mutation {
    static func all(of seen: CaseOutcome, _ recorded: RecordedCase) -> [CaseOutcome] {
        switch seen {
        case .output(let members):
            var result = members.keys.sorted().flatMap { name -> [CaseOutcome] in
                guard let value = members[name] else { return [] }
                // Reads are compared where they were recorded.
                if name == "readSizes", recorded.output[name] == nil { return [] }
                let changed = value.variations.map { other in
                    CaseOutcome.output(members.merging([name: other]) { $1 })
                }
                return changed + [.output(members.filter { $0.key != name })]
            }
            result.append(.output(members.merging(["another": 1]) { $1 }))
            result.append(.output([:]))
            result.append(.failure(3, "An error"))
            result.append(.unsayable("anything"))
            return result
        case .failure(let error):
            return error.variations.map { .failure($0) }
                + [.output([:]), .output(recorded.output.members.filter { $0.key == "request" })]
        case .unsayable(let what):
            return [.unsayable(what + "."), .output([:]), .failure(-1000, what)]
        case .exception, .unplayed:
            return []
        }
    }
}
