package import EventRecorder

/// The measurements of one run of an experiment.
public struct ExperimentResult: Sendable, Codable {
    /// One quantity, measured in each of the variants.
    public struct Fact: Hashable, Sendable, Codable {
        /// What was measured.
        public var what: Words
        /// One for each variant, in their order: a number, `yes`, `no`, another text, or `-` where it was not measured.
        public var values: [String]
        /// Whether the values depend on the machine or the moment. The conclusion must not.
        public var varies = false

        package init(
            _ what: Words, _ values: [any CustomStringConvertible], varies: Bool = false
        ) {
            self.what = what
            self.values = values.map { ($0 as? Bool).map { $0 ? "yes" : "no" } ?? "\($0)" }
            self.varies = varies
        }
    }

    /// The variants' names, usually `correct` and then each mistake.
    public var variants: [String]
    /// The measured quantities.
    public var facts: [Fact]
    /// Which of the lesson's answers the run has shown to be right, from 1 on; nil where none.
    public var answer: Int?
    /// The experiment's own recording; nil where the caller of `run` records it.
    package var recording: Recording?

    private enum CodingKeys: String, CodingKey {
        case variants, facts, answer
    }

    package init(variants: [String], facts: [Fact], answer: Int? = nil) {
        self.variants = variants
        self.facts = facts
        self.answer = answer
    }

    /// A table in Markdown, with a row for each fact.
    public func table(in language: Language) -> String {
        let head = ([""] + variants).joined(separator: " | ")
        let rule = "|---" + String(repeating: "|---:", count: variants.count) + "|"
        let rows = facts.map { fact in
            let values = fact.values.map { Self.text($0, language) }
            return "| " + ([fact.what.text(language)] + values).joined(separator: " | ") + " |"
        }
        return (["|" + head + " |", rule] + rows).joined(separator: "\n")
    }

    /// The facts as a list, which a screen reader can read: each quantity, and below it each
    /// variant's value.
    ///
    /// - Parameter columns: the terminal's width.
    public func lines(in language: Language, columns: Int = 80) -> [String] {
        let isChinese = language == .simplifiedChinese
        return facts.flatMap { fact in
            let values = zip(variants, fact.values).map { variant, value in
                "\(variant)" + (isChinese ? "：" : ": ") + Self.text(value, language)
            }
            let all = fact.what.text(language) + (isChinese ? "？" : "?")
            return TerminalText.lines(of: all, columns: columns)
                + TerminalText.lines(
                    of: values.joined(separator: isChinese ? "，" : ", "), columns: columns - 4
                ).map { "    " + $0 }
        }
    }

    /// A value in a language.
    public static func text(_ value: String, _ language: Language) -> String {
        guard language == .simplifiedChinese else { return value }
        return ["yes": "是", "no": "否"][value] ?? value
    }
}
