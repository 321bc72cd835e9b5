import Foundation
import ParitySupport

/// What Alamofire 4.9.1 did.
let recordings = Recordings(
    ["lifecycle", "multipart", "parameters", "results", "serialization", "validation"],
    in: .module, prefix: "request-")

/// The cases of one file: how they are played, and which differences are meant.
struct RequestParity: Sendable {
    /// Without `request-` and `.json`.
    let file: String
    let rules: [RequestRule]
    /// Which cases of the file are played here; the others belong to running requests.
    var isPlayed: @Sendable (RecordedCase) -> Bool = { _ in true }
    /// What a case shows.
    ///
    /// Throws `Unplayed` for what nothing here plays.
    let play: @Sendable (RecordedCase) async throws -> GoldenValue

    func verdict(_ recorded: RecordedCase) async -> (ParityTally.Verdict, RequestRule?) {
        do {
            return verdict(recorded, on: try await play(recorded))
        } catch {
            return Recordings.areFromElsewhere
                ? (.absent, nil) : (.other("not played: \(error)"), nil)
        }
    }

    func verdict(
        _ recorded: RecordedCase, on seen: GoldenValue
    ) -> (ParityTally.Verdict, RequestRule?) {
        if agrees(seen, recorded.output, recorded) { return (.equal, nil) }
        for rule in rules {
            guard let allowed = rule.allowed(recorded) else { continue }
            if agrees(seen, allowed, recorded) { return (rule.verdict, rule) }
        }
        return (.other("\(seen), recorded as \(recorded.output)"), nil)
    }

    func agrees(_ seen: GoldenValue, _ other: GoldenValue, _ recorded: RecordedCase) -> Bool {
        RecordedComparison.isEqual(seen, other, recorded.comparison)
    }

    static let all = [parameters, multipart, validation, serialization, results, curl]
}

/// A difference that is meant: the one outcome that it allows, made from the recording, and a wrong
/// one that it must refuse.
struct RequestRule: Sendable {
    /// The statement of the request era that it follows; 0 where Foundation decides.
    let statement: Int
    let reason: String
    /// A case that the rule is about, by its id; or one that is made up.
    let example: Example
    /// A wrong outcome, made from the allowed one.
    let wrong: @Sendable (GoldenValue) -> GoldenValue
    /// Nil where the rule says nothing of a case.
    let allowed: @Sendable (RecordedCase) -> GoldenValue?

    enum Example: Sendable {
        case recorded(String)
        case madeUp(RecordedCase)
    }

    var verdict: ParityTally.Verdict { statement == 0 ? .foundation : .deliberate }
}

extension RecordedCase {
    /// The recorded output with other members.
    func changed(_ members: [String: GoldenValue?]) -> GoldenValue {
        var result = output.members
        for (name, value) in members { result[name] = value }
        return .object(result)
    }
}
