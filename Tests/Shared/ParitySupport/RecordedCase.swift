/// One recorded case: what went into the original, and what came out.
package struct RecordedCase: Sendable {
    package let id: String
    package let input: GoldenValue
    package let output: GoldenValue
    package let authority: String
    package let note: String
    /// How an output is compared where equality is not exact.
    package let comparison: String

    package init(
        id: String, input: GoldenValue, output: GoldenValue, authority: String, note: String,
        comparison: String = ""
    ) {
        self.id = id
        self.input = input
        self.output = output
        self.authority = authority
        self.note = note
        self.comparison = comparison
    }

    /// Decided beneath the original, by the Foundation it ran on.
    package var isFoundations: Bool { authority == "foundation" }

    /// The same case with another input or output.
    package func with(input: GoldenValue? = nil, output: GoldenValue? = nil) -> RecordedCase {
        RecordedCase(
            id: id, input: input ?? self.input, output: output ?? self.output,
            authority: authority, note: note, comparison: comparison)
    }
}

extension RecordedCase {
    package init(_ json: GoldenValue) {
        self.init(
            id: json["id"]?.string ?? "", input: json["input"] ?? .null,
            output: json["output"] ?? .null, authority: json["authority"]?.string ?? "",
            note: json["note"]?.string ?? "", comparison: json["compare"]?.string ?? "")
    }
}
