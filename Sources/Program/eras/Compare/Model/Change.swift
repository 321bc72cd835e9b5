/// A difference between the columns of a scenario, with its cause and its source.
struct Change: Sendable, Equatable {
    /// An outcome that differs from that of a column's reference.
    struct Difference: Sendable, Equatable {
        /// The outcome's name.
        var outcome: String
        /// The columns with this outcome.
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
