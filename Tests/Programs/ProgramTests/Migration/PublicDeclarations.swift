import TestSupport

/// The names a module's sources declare for others, read from the text.
///
/// It knows as much of Swift as these sources use: what stands in parentheses and braces is
/// followed, comments are left out, and a declaration begins at the beginning of a line.
struct PublicDeclarations {
    struct Declaration {
        /// With its type in front and its labels behind: `HTTPRequestOperation.init(request:)`.
        let name: String
        /// What `renamed:` before it says.
        let renamed: String?
    }

    /// What a brace opened.
    private enum Scope {
        case type(String, isProtocol: Bool, isEnum: Bool, isPublic: Bool)
        case body
    }

    private(set) var all: [Declaration] = []
    /// What each type names behind its colon.
    private(set) var parents: [String: [String]] = [:]

    private var scopes: [Scope] = []
    private var next: Scope?
    private var attributes = ""
    /// A declaration whose parentheses are still open.
    private var unfinished = ""

    var names: Set<String> { Set(all.map(\.name)) }

    /// Reads every source of these modules.
    init(of modules: String...) throws {
        for module in modules {
            let path = try sourceFolder(of: module).path
            let names =
                FileManager.default.enumerator(atPath: path)?
                .compactMap { $0 as? String } ?? []
            for name in names.sorted() where name.hasSuffix(".swift") {
                read(try String(contentsOfFile: path + "/" + name, encoding: .utf8))
            }
        }
    }

    init(text: String) {
        read(text)
    }

    private mutating func read(_ text: String) {
        var isInText = false
        for line in text.split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.contains("\"\"\"") { isInText.toggle() }
            if !isInText, !line.hasPrefix("//") { read(line: line) }
        }
    }

    private mutating func read(line: String) {
        let isOpen = !unfinished.isEmpty
        let text = isOpen ? unfinished + " " + line : line
        unfinished = ""
        if scopes.contains(where: { if case .body = $0 { true } else { false } }) {
            follow(line)
        } else if text.count(of: "(") > text.count(of: ")") {
            unfinished = text
        } else {
            note(text)
            if next != nil, let brace = text.firstIndex(of: "{") {
                follow(String(text[...brace]))
                let rest = text[text.index(after: brace)...].drop { $0 == " " }
                if !rest.isEmpty { read(line: String(rest)) }
            } else {
                follow(text)
            }
        }
    }

    /// Follows the braces of a line.
    private mutating func follow(_ line: String) {
        var isInText = false
        for character in line {
            if character == "\"" { isInText.toggle() }
            if isInText { continue }
            if character == "{" {
                scopes.append(next ?? .body)
                next = nil
            } else if character == "}", !scopes.isEmpty {
                scopes.removeLast()
            }
        }
    }

    /// Notes what a line declares, if anything.
    private mutating func note(_ line: String) {
        var rest = Substring(line)
        while rest.hasPrefix("@") {
            let attribute = rest.prefixAttribute
            attributes += attribute
            rest = rest.dropFirst(attribute.count).drop { $0 == " " }
        }
        let head = rest.prefix { $0 != "{" && $0 != "=" }
        let words = head.split(separator: " ").map(String.init)
        guard let index = words.firstIndex(where: Self.keywords.contains) else {
            if words.contains(where: { $0.hasPrefix("init(") || $0.hasPrefix("init?(") }) {
                declare(words, keyword: "init", rest: rest)
            }
            return
        }
        let isFunction =
            words[index] == "class" && index + 1 < words.count
            && ["func", "var"].contains(words[index + 1])
        declare(words, keyword: isFunction ? words[index + 1] : words[index], rest: rest)
    }

    private mutating func declare(_ words: [String], keyword: String, rest: Substring) {
        defer { attributes = "" }
        let isOpen = words.contains("public") || words.contains("open")
        let behind = rest.text(behind: keyword)
        switch keyword {
        case "class", "struct", "enum", "protocol", "extension":
            let name = String(
                behind.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" })
            parents[name, default: []] += behind.dropFirst(name.count).prefix { $0 != "{" }
                .split { ":, ".contains($0) }.map(String.init)
            if isOpen { add(name) }
            let isPublic = isOpen || keyword == "extension"
            next = .type(
                name, isProtocol: keyword == "protocol", isEnum: keyword == "enum",
                isPublic: isPublic)
        case "case":
            guard isInPublic(enumeration: true) else { return }
            for name in behind.replacing(/\([^)]*\)/, with: "").split(separator: ",") {
                add(String(name.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber }))
            }
        default:
            let isSeen = isOpen || isInPublic(enumeration: false)
            guard isSeen, keyword == "init" || !words.contains("override") else { return }
            switch keyword {
            case "init": add("init" + behind.labels)
            case "func":
                // Operators come with a protocol, whose requirements need no row.
                guard behind.first.map({ $0.isLetter || $0 == "`" }) == true else { return }
                add(behind.prefix { $0 != "(" && $0 != "<" } + behind.labels)
            default:
                add(String(behind.prefix { $0.isLetter || $0.isNumber || "_`".contains($0) }))
            }
        }
    }

    /// Whether a member needs no word of its own to be public.
    private func isInPublic(enumeration: Bool) -> Bool {
        guard case .type(_, let isProtocol, let isEnum, true) = scopes.last else { return false }
        return enumeration ? isEnum : isProtocol
    }

    private mutating func add(_ name: String) {
        var path: [String] = []
        for case .type(let type, _, _, _) in scopes { path.append(type) }
        let plain = name.replacingOccurrences(of: "`", with: "")
        all.append(
            Declaration(
                name: (path + [plain]).joined(separator: "."), renamed: attributes.renamed))
    }

    private static let keywords: Set = [
        "class", "struct", "enum", "protocol", "extension", "case", "func", "var", "let",
        "typealias",
    ]
}

extension StringProtocol {
    fileprivate func count(of character: Character) -> Int {
        reduce(0) { $1 == character ? $0 + 1 : $0 }
    }

    /// `@name` or `@name(…)`, parentheses balanced.
    fileprivate var prefixAttribute: String {
        let name = prefix { $0 != " " && $0 != "(" }
        guard dropFirst(name.count).hasPrefix("(") else { return String(name) }
        var depth = 0
        for index in indices.dropFirst(name.count) {
            depth += self[index] == "(" ? 1 : self[index] == ")" ? -1 : 0
            if depth == 0 { return String(self[...index]) }
        }
        return String(self)
    }

    /// What stands behind the first whole word.
    fileprivate func text(behind word: String) -> String {
        let first = word == "init" ? range(of: "init") : range(of: word + " ")
        return first.map { String(self[$0.upperBound...]) } ?? ""
    }

    /// The labels in the first parentheses, for example `(_:parameters:)`.
    fileprivate var labels: String {
        var depth = 0
        var labels: [String] = []
        var isAtStart = false
        var label = ""
        for character in replacingOccurrences(of: "->", with: "") {
            switch character {
            case "(", "[", "<":
                depth += 1
                if character == "(", depth == 1 { isAtStart = true }
            case ")", "]", ">":
                depth -= 1
                if depth == 0, character == ")" { return "(" + labels.joined() + ")" }
            case ",":
                if depth == 1 { isAtStart = true }
            case " ", ":":
                if isAtStart, !label.isEmpty, depth == 1 {
                    labels.append(label + ":")
                    label = ""
                    isAtStart = false
                }
            default:
                if isAtStart, depth == 1 { label.append(character) }
            }
        }
        return "()"
    }

    /// What `renamed: "…"` says.
    fileprivate var renamed: String? {
        guard let start = range(of: "renamed:") else { return nil }
        let parts = self[start.upperBound...].split(separator: "\"", maxSplits: 2)
        return parts.count > 1 ? String(parts[1]) : nil
    }
}
