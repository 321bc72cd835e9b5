import Foundation
import ParitySupport
import RecordedTraces

/// What Alamofire 4.9.1 did.
let recordings = Recordings(
    ["lifecycle", "multipart", "parameters", "results", "serialization", "validation"],
    in: .module, prefix: "request-", texts: ["lifecycle": Original.alamofire.recordings])

extension ParityFamily {
    /// The cases of one file.
    init(
        _ file: String, rules: [ParityRule] = [],
        isPlayed: @escaping @Sendable (RecordedCase) -> Bool = { _ in true },
        play: @escaping @Sendable (RecordedCase) async throws -> GoldenValue
    ) {
        self.init(
            [file], of: recordings, rules: rules, mayLack: true, isPlayed: isPlayed,
            agrees: { RecordedComparison.isEqual($0, $1, $2.comparison) }, play: play)
    }

    static let parameters = ParityFamily(
        "parameters", rules: ParameterRules.all, play: ParameterCases.play)
    static let multipart = ParityFamily(
        "multipart", rules: FormRules.all, play: FormCases.play)
    static let validation = ParityFamily("validation", play: ValidationCases.play)
    static let serialization = ParityFamily(
        "serialization", rules: SerializationRules.all, play: SerializationCases.play)
    static let results = ParityFamily("results", play: ResultCases.play)
    static let curl = ParityFamily(
        "lifecycle", rules: CurlRules.all, isPlayed: { $0.id.hasPrefix("curl/") },
        play: CurlCases.play)

    static let all = [parameters, multipart, validation, serialization, results, curl]
}
