/// A difference between the columns of a scenario, with its cause and its source.
struct Change: Sendable, Equatable {
    /// An outcome that differs from that of a column's reference.
    struct Difference: Sendable, Equatable {
        var outcome: String
        var columns: [Column]
        /// The value in the reference of each column; "-" where it has no such outcome.
        var reference: String
        /// The value in the columns; "-" where they have no such outcome.
        var value: String

        init(_ outcome: String, in columns: Column..., was reference: String, is value: String) {
            self.outcome = outcome
            self.columns = columns
            self.reference = reference
            self.value = value
        }

        /// The same for one column alone.
        func only(in column: Column) -> Difference {
            Difference(outcome, in: column, was: reference, is: value)
        }
    }

    var cause: Cause
    /// What changed and why, in one or two sentences.
    var sentence: String
    /// The statement, measurement or article that shows it, for example "LX-11".
    var source: String
    /// All outcomes that differ because of it; empty where only the code differs.
    var differences: [Difference]

    init(
        _ cause: Cause, _ sentence: String, source: String, differences: [Difference] = []
    ) {
        self.cause = cause
        self.sentence = sentence
        self.source = source
        self.differences = differences
    }

    /// The difference in the errors of a response that is refused.
    static func errorOfRequests(_ differences: [Difference]) -> Change {
        Change(
            .design,
            "AFNetworking's eras have Foundation's errors, with their domains and codes; a request "
                + "has an enumeration, whose case and reason say what was refused.",
            source: "a failed validation becomes the error (AL-17)", differences: differences)
    }

    /// The first sentence alone.
    var firstSentence: String {
        guard let end = sentence.firstRange(of: /\. (?=[A-Z`])/) else { return sentence }
        return String(sentence[..<end.lowerBound]) + "."
    }

    /// The columns whose outcomes differ because of it, each once.
    var columns: [Column] {
        Column.allCases.filter { column in
            differences.contains { $0.columns.contains(column) }
        }
    }
}

extension [Change] {
    /// The differences that are declared for a column.
    func differences(in column: Column) -> [Change.Difference] {
        flatMap(\.differences).filter { $0.columns.contains(column) }.map { $0.only(in: column) }
    }

    /// The causes of a column's differences, each once.
    func causes(in column: Column) -> [Cause] {
        Cause.allCases.filter { cause in
            contains { $0.cause == cause && $0.columns.contains(column) }
        }
    }

    /// The causes of all differences, each once.
    var causes: [Cause] {
        Cause.allCases.filter { cause in
            contains { $0.cause == cause && !$0.differences.isEmpty }
        }
    }
}

/// The cause of a change.
enum Cause: String, Codable, CaseIterable, Sendable {
    /// The design of the later era.
    case design = "era's design"
    /// Foundation's URLSession for Linux, which behaves differently from Apple's, or whose behaviour
    /// was observed on Linux alone.
    case foundation = "Foundation on Linux"
    /// This package, which differs from the original on purpose.
    case repair = "this port's repair"

    /// One word, for narrow columns.
    var word: String {
        switch self {
        case .design: "design"
        case .foundation: "Foundation"
        case .repair: "repair"
        }
    }

    /// The heading of a list of the changes with this cause.
    var heading: String {
        switch self {
        case .design: "What changed, and why"
        case .foundation: "What Foundation on Linux does"
        case .repair: "What this port repairs"
        }
    }
}

extension [Cause] {
    /// The causes as one text; empty for none.
    var text: String { map(\.rawValue).joined(separator: ", ") }
}
