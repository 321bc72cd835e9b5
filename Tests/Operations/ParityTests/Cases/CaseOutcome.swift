import ParitySupport

/// What a case showed, or what it may show.
enum CaseOutcome: Sendable {
    /// What was made, member by member as the recordings have it.
    case output([String: GoldenValue])
    /// An error, in the recorder's form.
    case failure(GoldenValue)
    /// An exception; nothing shows one here.
    case exception(String)
    /// It does not compile in Swift.
    case unsayable(String)
    /// It asks for what nothing here plays.
    case unplayed(String)

    init(recorded output: GoldenValue) {
        if let name = output["exception"]?.string {
            self = .exception(name)
        } else if output["request"] == .null, let error = output["error"] {
            self = .failure(error)
        } else {
            self = .output(output.members)
        }
    }

    /// Whether it is what was expected, in every member.
    func agrees(with expected: CaseOutcome) -> Bool {
        switch (self, expected) {
        case (.output(let seen), .output(let expected)):
            Self.compared(seen, as: expected) == Self.compared(expected, as: expected)
        case (.failure(let seen), .failure(let expected)): seen == expected
        case (.unsayable(let seen), .unsayable(let expected)): seen == expected
        default: false
        }
    }

    /// Field names of headers are equal in any case (RFC 9110, section 5.1); `bodyUTF8` says the
    /// same as `bodyBase64`; not every case recorded its reads.
    private static func compared(
        _ members: [String: GoldenValue], as expected: [String: GoldenValue]
    ) -> [String: GoldenValue] {
        var members = members
        members["bodyUTF8"] = nil
        if expected["readSizes"] == nil { members["readSizes"] = nil }
        if case .object(let headers)? = members["headers"] {
            members["headers"] = .object(
                Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { $1 })
        }
        return members
    }
}

extension CaseOutcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .output(let members): "\(GoldenValue.object(members))"
        case .failure(let error): "the error \(error)"
        case .exception(let name): "an exception, \(name)"
        case .unsayable(let what): "not to be said in Swift: \(what)"
        case .unplayed(let what): "not played: \(what)"
        }
    }
}

/// A difference that is meant.
struct CaseRule: Sendable {
    let cause: Cause
    /// One line.
    let reason: String
    /// The one outcome that it allows, made from the recording; nil for a case that it is not
    /// about.
    let allowed: @Sendable (RecordedCase) -> CaseOutcome?

    enum Cause: Sendable, Equatable {
        /// A wound that is repaired, by its number.
        case wound(Int)
        /// A detail of the Foundation that the recorder ran on.
        case foundation
    }

    init(
        _ cause: Cause, _ reason: String,
        _ allowed: @escaping @Sendable (RecordedCase) -> CaseOutcome?
    ) {
        self.cause = cause
        self.reason = reason
        self.allowed = allowed
    }

    var verdict: ParityTally.Verdict {
        switch cause {
        case .wound: .deliberate
        case .foundation: .foundation
        }
    }
}

/// How the cases of one kind are played and compared.
struct CaseFamily: Sendable {
    /// The names of its files.
    let files: [String]
    let rules: [CaseRule]
    /// What a case shows here.
    let play: @Sendable (RecordedCase) -> CaseOutcome

    /// Plays a case and compares it with its recording.
    func verdict(_ recorded: RecordedCase) -> (ParityTally.Verdict, CaseRule?) {
        verdict(recorded, on: play(recorded))
    }

    /// Compares an outcome with a recording: equal, or what a rule allows, or told.
    func verdict(
        _ recorded: RecordedCase, on seen: CaseOutcome
    ) -> (ParityTally.Verdict, CaseRule?) {
        guard let found = allowed(recorded).first(where: { seen.agrees(with: $0.outcome) }) else {
            return (.other("\(seen), recorded as \(recorded.output)"), nil)
        }
        return (found.rule?.verdict ?? .equal, found.rule)
    }

    /// What a case may show: what is recorded, and what each rule allows.
    func allowed(
        _ recorded: RecordedCase
    ) -> some Sequence<(outcome: CaseOutcome, rule: CaseRule?)> {
        let meant = rules.lazy.compactMap { rule in
            rule.allowed(recorded).map { (outcome: $0, rule: CaseRule?.some(rule)) }
        }
        let equal = [(outcome: CaseOutcome(recorded: recorded.output), rule: CaseRule?.none)]
        return [AnySequence(equal), AnySequence(meant)].lazy.joined()
    }

    static let requests = CaseFamily(
        files: ["query-strings", "json-plist-requests"], rules: RequestRules.all,
        play: { RequestCases.outcome($0.input) })
    static let multipart = CaseFamily(
        files: ["multipart"], rules: MultipartRules.all,
        play: { MultipartCases.outcome($0.input) })
    static let responses = CaseFamily(
        files: ["response-serialization"], rules: ResponseRules.all,
        play: { ResponseCases.outcome($0.input) })
    static let baseURLs = CaseFamily(
        files: ["base-url"], rules: BaseURLRules.all, play: BaseURLCases.outcome)

    static let all = [requests, multipart, responses, baseURLs]

    /// The family whose cases are in a file of that name.
    static func of(file: String) -> CaseFamily? { all.first { $0.files.contains(file) } }
}
