import Testing

/// How the cases of some files are played and compared, and which differences are meant.
package struct ParityFamily: Sendable {
    /// The names of its files.
    package let files: [String]
    package let rules: [ParityRule]
    private let recordings: Recordings
    /// Whether recordings from elsewhere may have cases that nothing here plays.
    private let mayLack: Bool
    /// Which cases of the files are played here.
    package let isPlayed: @Sendable (RecordedCase) -> Bool
    /// Whether what was seen is what was expected, in the way of the case.
    package let agrees:
        @Sendable (_ seen: GoldenValue, _ expected: GoldenValue, RecordedCase) -> Bool
    /// What a case shows here; throws `Unplayed` for what nothing here plays.
    package let play: @Sendable (RecordedCase) async throws -> GoldenValue

    package init(
        _ files: [String], of recordings: Recordings, rules: [ParityRule], mayLack: Bool = false,
        isPlayed: @escaping @Sendable (RecordedCase) -> Bool = { _ in true },
        agrees: @escaping @Sendable (GoldenValue, GoldenValue, RecordedCase) -> Bool,
        play: @escaping @Sendable (RecordedCase) async throws -> GoldenValue
    ) {
        self.files = files
        self.rules = rules
        self.recordings = recordings
        self.mayLack = mayLack
        self.isPlayed = isPlayed
        self.agrees = agrees
        self.play = play
    }

    /// Every case at hand.
    private var known: [RecordedCase] { files.flatMap(recordings.known).filter(isPlayed) }

    /// Plays a case and compares it with its recording.
    package func verdict(_ recorded: RecordedCase) async -> (ParityTally.Verdict, ParityRule?) {
        do {
            return verdict(recorded, on: try await play(recorded))
        } catch {
            return mayLack && Recordings.areFromElsewhere
                ? (.absent, nil) : (.other("not played: \(error)"), nil)
        }
    }

    /// Compares an outcome with a recording: equal, or what a rule allows, or told.
    package func verdict(
        _ recorded: RecordedCase, on seen: GoldenValue
    ) -> (ParityTally.Verdict, ParityRule?) {
        if agrees(seen, recorded.output, recorded) { return (.equal, nil) }
        for rule in rules {
            guard let allowed = rule.allowed(recorded) else { continue }
            if agrees(seen, allowed, recorded) { return (rule.cause.verdict, rule) }
        }
        return (.other("\(seen), recorded as \(recorded.output)"), nil)
    }
}

// What the tests of both originals' recordings check.
extension ParityFamily {
    /// Every case of a file is as recorded, or as a rule allows.
    package func checkCases(of file: String, heading: String) async throws {
        let cases = try recordings.cases(file).filter(isPlayed)
        var tally = ParityTally(heading)
        for recorded in cases {
            let (verdict, rule) = await verdict(recorded)
            tally.add(recorded.id, verdict, because: rule?.title)
        }
        tally.tell(of: cases.count)
        #expect(tally.equal > 0)
    }

    /// Each rule allows its one outcome, which is shown, and refuses the wrong ones of its examples.
    package func checkRules() async throws {
        #expect(Set(rules.map(\.title)).count == rules.count)
        for rule in rules {
            #expect(!rule.refusals.isEmpty, "\(rule.reason)")
            for refusal in rule.refusals {
                let recorded = try #require(
                    refusal.madeUp ?? known.first { $0.id == refusal.id }, "\(rule.reason)")
                try await check(rule, refusal, on: recorded)
            }
        }
    }

    private func check(
        _ rule: ParityRule, _ refusal: ParityRule.Refusal, on recorded: RecordedCase
    ) async throws {
        let allowed = try #require(rule.allowed(recorded), "\(rule.reason)")
        #expect(!agrees(allowed, recorded.output, recorded), "\(rule.reason)")
        let seen = try await play(recorded)
        #expect(
            agrees(seen, allowed, recorded), "\(rule.reason): \(seen), allowed is \(allowed)")
        let wrong = refusal.wrong(recorded, allowed)
        #expect(!agrees(wrong, allowed, recorded), "\(rule.reason)")
        guard case .other = verdict(recorded, on: wrong).0 else {
            Issue.record("\(recorded.id) may be \(wrong).")
            return
        }
    }

    /// Every rule is needed by a case, or has a made-up one.
    package func checkNeed() async {
        var used: Set<String> = []
        for recorded in known {
            if let rule = await verdict(recorded).1 { used.insert(rule.title) }
        }
        let idle = rules.filter { rule in
            !used.contains(rule.title) && !rule.refusals.contains { $0.madeUp != nil }
        }
        #expect(idle.map(\.reason) == [], "\(files)")
    }

    /// A case that differs in any one member from what it shows is told.
    ///
    /// - Parameters:
    ///   - isExact: whether also what the comparison takes for the same must not be among the variations.
    ///   - variations: outcomes that are not right.
    package func checkVariations(
        isExact: Bool = false,
        _ variations: (GoldenValue, RecordedCase) -> [GoldenValue] = { seen, _ in seen.variations }
    ) async throws {
        for recorded in known {
            guard let seen = try? await play(recorded) else { continue }
            // Where a rule allows another outcome, what is recorded is not wrong.
            let isRecorded = agrees(seen, recorded.output, recorded)
            let wrong = variations(seen, recorded).first { wrong in
                let isTaken =
                    switch verdict(recorded, on: wrong).0 {
                    case .other: false
                    case .equal: isRecorded
                    default: true
                    }
                return isTaken && (isExact || !agrees(wrong, seen, recorded))
            }
            if let wrong { Issue.record("\(recorded.id) may be \(wrong).") }
        }
    }
}

/// What a case asks for and nothing here plays.
package struct Unplayed: Error {
    let what: String

    package init(_ what: String) {
        self.what = what
    }
}
