/// Keeps a recording's texts while the recording, or a copy, is there.
final class HeldTexts: Sendable {
    private let number: UInt32
    private let table: TextTable

    init(of number: UInt32, in table: TextTable) {
        self.number = number
        self.table = table
    }

    deinit { table.letGo(number) }
}

/// What a recording holds, which is no part of what it says: all are equal.
struct TextHolders: Sendable, Equatable {
    var all: [HeldTexts] = []

    static func == (one: TextHolders, other: TextHolders) -> Bool { true }
}

/// The texts of a recording that is being read: they go with it, and nothing is left out.
///
/// ## Concurrency
/// Call from: the thread that reads. Lock: none.
final class ReadTexts: @unchecked Sendable {
    // @unchecked because one reader makes it, uses it and ends it.

    /// Those of the recording that this thread decodes.
    @TaskLocal static var open: ReadTexts?

    private let number = TextTable.shared.beginReading()
    private var strings: [String] = []
    private var texts: [String: EventText] = [:]

    func text(for string: String) -> EventText {
        if string.isEmpty { return .none }
        if let known = texts[string] { return known }
        let redacted = Redaction.text(string)
        if let known = texts[redacted] { return known }
        let text = EventText(
            number: TextTable.lastingLimit + UInt32(strings.count), of: number)
        strings.append(redacted)
        texts[redacted] = text
        return text
    }

    /// No text is made after this.
    func end() -> HeldTexts {
        defer { (strings, texts) = ([], [:]) }
        return TextTable.shared.end(reading: number, strings)
    }
}
