/// What one run of an experiment has measured.
public struct ExperimentResult: Sendable {
    /// Something that was measured in each of the variants.
    public struct Fact: Hashable, Sendable {
        /// What was measured.
        public var what: Words
        /// One for each variant, in their order: a number, `yes` or `no`, or bytes.
        public var values: [String]

        init(_ what: Words, _ values: [any CustomStringConvertible]) {
            self.what = what
            self.values = values.map { ($0 as? Bool).map { $0 ? "yes" : "no" } ?? "\($0)" }
        }
    }

    /// The variants by name: first `correct`, then each mistake.
    public var variants: [String]
    /// What was measured.
    public var facts: [Fact]
    /// Which of the lesson's answers the run has shown, from 1 on; nil where it has shown none.
    public var answer: Int?

    /// A table in Markdown, for reading aloud as well: a line for each fact.
    public func table(in language: Language) -> String {
        let head = ([""] + variants).joined(separator: " | ")
        let rule = "|---" + String(repeating: "|---:", count: variants.count) + "|"
        let rows = facts.map { fact in
            "| " + ([fact.what.text(language)] + fact.values).joined(separator: " | ") + " |"
        }
        return (["|" + head + " |", rule] + rows).joined(separator: "\n")
    }
}
