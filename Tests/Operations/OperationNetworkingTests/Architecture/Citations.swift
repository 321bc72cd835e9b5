/// The numbers that a text cites, such as OP-13, UM-06.8, R61, defect 41 or decision 22.
///
/// Line ends, comment marks and quotation marks may stand between the words of a citation.
struct Citations {
    /// Each number that is written out; with UM-06.8 also UM-06.
    private(set) var numbers: Set<String> = []
    private var ranges: [(kind: String, numbers: ClosedRange<Int>)] = []

    private static let nouns: [String: (noun: String, isPlural: Bool)] = [
        "defect": ("defect", false), "defects": ("defect", true),
        "wound": ("defect", false), "wounds": ("defect", true),
        "program": ("program", false), "programs": ("program", true),
        "decision": ("decision", false), "promise": ("promise", false),
    ]

    init(in text: String) {
        /// What bare numbers count at this place.
        var noun: String?
        var goesOn: [String] = []
        var last: (kind: String, number: Int)?
        var isRange = false
        for token in Self.tokens(of: text) {
            if let cited = Self.code(token) ?? noun.flatMap({ Self.number(token, of: $0) }) {
                if isRange, let last, last.kind == cited.kind, last.number <= cited.number {
                    ranges.append((cited.kind, last.number...cited.number))
                }
                numbers.formUnion(cited.names)
                last = (cited.kind, cited.number)
                isRange = false
                goesOn.removeAll { [":", "("].contains($0) }
            } else if let found = Self.nouns[token.lowercased()] {
                noun = found.noun
                goesOn = found.isPlural ? [",", "and"] : [":", "("]
                (last, isRange) = (nil, false)
            } else if token == "to", last != nil {
                isRange = true
            } else if !goesOn.contains(token) {
                (noun, last, isRange) = (nil, nil, false)
            }
        }
    }

    /// With the numbers in the first column of a table of defects too.
    init(inPage text: String) {
        self.init(in: text)
        var isInTable = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            isInTable =
                line.hasPrefix("|")
                && (isInTable || line.hasPrefix("| wound |") || line.hasPrefix("| defect |"))
            guard isInTable, let cell = line.split(separator: "|").first else { continue }
            numbers.formUnion(Citations(in: "defects " + cell).numbers)
        }
    }

    /// Whether a number is written out, or lies between two that have "to" between them.
    func contain(_ name: String) -> Bool {
        if numbers.contains(name) { return true }
        guard let (kind, number) = Self.parts(of: name) else { return false }
        return ranges.contains { $0.kind == kind && $0.numbers.contains(number) }
    }

    private typealias Cited = (names: Set<String>, kind: String, number: Int)

    /// Two letters, a hyphen and a number, with or without a clause; or R or T and a number.
    private static func code(_ token: String) -> Cited? {
        guard token.utf8.last.map(isDigit) == true else { return nil }
        let base = token.split(separator: ".").first.map(String.init) ?? token
        guard let (kind, number) = parts(of: base), (1...2).contains(base.count - kind.count) else {
            return nil
        }
        let isPair = kind.count == 3 && kind.hasSuffix("-")
        guard ["R", "T"].contains(kind) || isPair, kind.prefix(2).allSatisfy(isLetterOfCode) else {
            return nil
        }
        return ([base, token], kind, number)
    }

    private static func isLetterOfCode(_ letter: Character) -> Bool { ("A"..."Z").contains(letter) }

    private static func number(_ token: String, of noun: String) -> Cited? {
        Int(token).map { (["\(noun) \($0)"], noun + " ", $0) }
    }

    /// What stands before the last digits, and those.
    private static func parts(of name: String) -> (kind: String, number: Int)? {
        let kind = name.reversed().drop(while: \.isNumber).reversed()
        return Int(name.dropFirst(kind.count)).map { (String(kind), $0) }
    }

    /// Words, and signs one by one. A hyphen or full stop inside a word is a part of it.
    private static func tokens(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        let skipped = Set(" \n\t/*|\"+".utf8)
        var tokens: [String] = []
        var index = 0
        while index < bytes.count {
            var end = index
            while end < bytes.count, isWord(bytes[end]) || isInside(bytes, end, from: index) {
                end += 1
            }
            end = max(end, index + 1)
            if !skipped.contains(bytes[index]) {
                tokens.append(String(decoding: bytes[index..<end], as: UTF8.self))
            }
            index = end
        }
        return tokens
    }

    private static func isInside(_ bytes: [UInt8], _ index: Int, from start: Int) -> Bool {
        [UInt8(ascii: "-"), UInt8(ascii: ".")].contains(bytes[index]) && index > start
            && index + 1 < bytes.count && isWord(bytes[index + 1])
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"), 0x80...:
            true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
