extension SourceParser {
    /// The type that is written from a token on; nil for a function or a tuple.
    func typeName(_ start: Int) -> TypeName? {
        var index = start
        while Self.beforeTypes.contains(text(index)) {
            index += text(index) == "@" ? 2 : 1
        }
        if text(index) == "[" {
            let isDictionary = text(endOfType(index + 1)) == ":"
            let element = typeName(isDictionary ? endOfType(index + 1) + 1 : index + 1)
            return TypeName(
                path: [isDictionary ? "Dictionary" : "Array"], element: element?.path)
        }
        guard isWord(index) else { return nil }
        var path = [text(index)]
        while text(index + 1) == ".", isWord(index + 2) {
            index += 2
            path.append(text(index))
        }
        // `A -> B` has parentheses; `Set<A>` and `Mutex<A>` hold elements.
        let element = text(index + 1) == "<" ? typeName(index + 2)?.path : nil
        return TypeName(path: path, element: element)
    }

    private static let beforeTypes: Set = [
        "any", "some", "inout", "borrowing", "consuming", "sending", "isolated", "@",
    ]

    /// The token behind a type without brackets, as far as that is needed for `[Key: Value]`.
    private func endOfType(_ start: Int) -> Int {
        var index = start
        while index < tokens.count, ![":", "]", ","].contains(text(index)) {
            index = ["(", "["].contains(text(index)) ? partners[index] + 1 : index + 1
        }
        return index
    }

    /// `<Key, Value: Codable>`: names that are no types.
    func genericParameters(_ start: Int) -> [String: SourceFacts.Use.Receiver] {
        guard text(start) == "<" else { return [:] }
        var result: [String: SourceFacts.Use.Receiver] = [:]
        var index = start + 1
        while index < tokens.count, text(index) != ">" {
            if isWord(index), text(index - 1) == "<" || text(index - 1) == "," {
                let bound = text(index + 1) == ":" ? typeName(index + 2) : nil
                result[text(index)] = bound.map { .type($0) } ?? .unknown
            }
            index += 1
        }
        return result
    }

    /// What a type or an extension of it says behind the colon.
    func supertypes(behind start: Int) -> [[String]] {
        var index = start
        while index < tokens.count, text(index) != "{", text(index) != ":" {
            if text(index) == "where" { return [] }
            index += 1
        }
        guard text(index) == ":" else { return [] }
        var result: [[String]] = []
        while index < tokens.count, text(index) != "{", text(index) != "where" {
            if text(index) == ":" || text(index) == "," || text(index) == "&",
                let type = typeName(text(index + 1) == "@" ? index + 3 : index + 1)
            {
                result.append(type.path)
            }
            index += 1
        }
        return result
    }
}
