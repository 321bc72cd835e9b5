/// A source that was read.
struct ScannedSource {
    let path: String
    let isSwift: Bool
    let mentions: [SourceMention]
    /// The types that it declares, with their superclasses.
    let declared: [Declaration]
    /// The types of AFNetworking that it names.
    let types: Set<String>
    /// Whether it names AFNetworking, or anything of it.
    let isOfAFNetworking: Bool

    init(path: String, bytes: [UInt8], index: RenameIndex) {
        self.path = path
        isSwift = path.hasSuffix(".swift")
        let tokens = SourceTokenizer.tokens(bytes, isSwift: isSwift)
        mentions = MentionReader.mentions(in: tokens, isSwift: isSwift) + Self.pairs(tokens)
        declared = Self.declarations(tokens)
        let words = Set(tokens.lazy.filter { $0.kind == .word }.map(\.text))
        types = words.intersection(index.types)
        isOfAFNetworking =
            words.contains { $0 == "AFNetworking" || SourceScanner.isTheirs($0) }
            || tokens.contains { $0.kind == .header && $0.text.contains("AFNetworking") }
    }

    /// Pairs of adjacent words and signs that have a meaning together.
    private static func pairs(_ tokens: [SourceToken]) -> [SourceMention] {
        zip(tokens.indices, tokens).compactMap { index, token in
            guard token.kind == .sign, tokens.indices.contains(index + 1),
                tokens[index + 1].kind == .word
            else { return nil }
            let next = tokens[index + 1].text
            if ["@", "#", "&"].contains(token.text) {
                return SourceMention(name: .pair(token.text + next), line: token.line)
            }
            guard token.text == ".", index > 0, tokens[index - 1].kind == .word else { return nil }
            let name = "\(tokens[index - 1].text).\(next)"
            return SourceMention(name: .pair(name), line: token.line)
        }
    }

    private static func declarations(_ tokens: [SourceToken]) -> [Declaration] {
        let keywords: Set = [
            "interface", "implementation", "protocol", "class", "struct", "enum", "typealias",
            "define", "actor", "compatibility_alias", "const",
        ]
        let named = tokens.indices.compactMap { index -> Declaration? in
            guard tokens[index].kind == .word, keywords.contains(tokens[index].text),
                tokens.indices.contains(index + 1), tokens[index + 1].kind == .word
            else { return nil }
            let hasParent =
                tokens.indices.contains(index + 3) && tokens[index + 2].isSign(":")
                && tokens[index + 3].kind == .word
            return (
                tokens[index + 1].text, hasParent ? tokens[index + 3].text : nil,
                tokens[index].line
            )
        }
        return named + cDeclarations(tokens)
    }

    /// The names in declarations of C, and of categories.
    private static func cDeclarations(_ tokens: [SourceToken]) -> [Declaration] {
        let beginnings: Set = [
            "typedef", "static", "extern", "FOUNDATION_EXPORT", "FOUNDATION_EXTERN", "OBJC_EXTERN",
            "UIKIT_EXTERN",
        ]
        let ends: Set = ["(", ")", ";", "=", ","]
        var isDeclaring = false
        return zip(tokens.indices, tokens).compactMap { index, token in
            if token.isFirst { isDeclaring = beginnings.contains(token.text) }
            guard token.kind == .word, tokens.indices.contains(index + 1), index > 1 else {
                return nil
            }
            let next = tokens[index + 1]
            // @interface Name (Category)
            let isCategory =
                tokens[index - 1].isSign("(") && next.isSign(")") && index > 2
                && ["interface", "implementation"].contains(tokens[index - 3].text)
            let isDeclared = isDeclaring && next.kind == .sign && ends.contains(next.text)
            return isCategory || isDeclared ? (token.text, nil, token.line) : nil
        }
    }

    typealias Declaration = (name: String, parent: String?, line: Int)
}

/// The types that a project declares, and those of AFNetworking that it names.
struct ProjectNames {
    private(set) var own: Set<String> = []
    /// The types of AFNetworking that it names, with their superclasses.
    private(set) var theirs: Set<String> = []
    private var parents: [String: String] = [:]

    /// The type of AFNetworking that a type is, or that it inherits from.
    func ancestor(_ type: String, _ index: RenameIndex) -> String? {
        var type = type
        // Bounded, because types of two sources may inherit from each other.
        for _ in 0..<16 {
            if index.types.contains(type) { return type }
            guard let parent = parents[type] else { return nil }
            type = parent
        }
        return nil
    }

    mutating func add(_ source: ScannedSource, _ index: RenameIndex) {
        own.formUnion(source.declared.lazy.map(\.name).filter { !index.types.contains($0) })
        theirs.formUnion(source.types.lazy.flatMap(index.family))
        for (name, parent, _) in source.declared { parents[name] = parent ?? parents[name] }
    }
}
