/// Reads declarations and uses from tokens.
///
/// It knows as much of Swift's grammar as it takes to tell a declaration from a use, a label from a
/// name, and a local name from a member. What it cannot tell it leaves out.
struct SourceParser {
    struct Scope {
        enum Kind {
            case type(isEnum: Bool)
            case local
        }

        var kind: Kind
        var path: [String]
        var isPrivate = false
        /// Local names and generic parameters with what they are.
        var locals: [String: SourceFacts.Use.Receiver] = [:]

        var isLocal: Bool {
            if case .local = kind { true } else { false }
        }
    }

    let tokens: [SourceToken]
    /// For each bracket the place of its partner.
    let partners: [Int]
    var facts = SourceFacts()
    var scopes = [Scope(kind: .type(isEnum: false), path: [])]
    /// The scope that the next brace at this depth of parentheses opens.
    var pending: (scope: Scope, depth: Int)?
    /// The brackets that are open, braces too.
    var open: [String] = []
    /// Tokens that were read already as a part of something.
    var isRead: [Bool]

    static func facts(of tokens: [SourceToken]) -> SourceFacts {
        var parser = SourceParser(tokens)
        parser.run()
        return parser.facts
    }

    init(_ tokens: [SourceToken]) {
        self.tokens = tokens
        partners = Self.partners(tokens)
        isRead = Array(repeating: false, count: tokens.count)
    }

    private static func partners(_ tokens: [SourceToken]) -> [Int] {
        var result = Array(repeating: tokens.count, count: tokens.count)
        var stack: [Int] = []
        for (index, token) in tokens.enumerated() where !token.isWord {
            switch token.text {
            case "(", "[", "{": stack.append(index)
            case ")", "]", "}": if let start = stack.popLast() { result[start] = index }
            default: break
            }
        }
        return result
    }

    func text(_ index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : ""
    }

    func isWord(_ index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].isWord
    }

    var path: [String] { scopes[scopes.count - 1].path }
    /// Parentheses and square brackets that are open.
    var depth: Int { open.count { $0 != "{" } }

    mutating func run() {
        for index in tokens.indices {
            if tokens[index].isWord {
                if !isRead[index], !readDeclaration(index) { readUse(index) }
            } else {
                readMark(index)
            }
        }
    }

    private mutating func readMark(_ index: Int) {
        switch tokens[index].text {
        case "{":
            if let (scope, depth) = pending, depth == self.depth {
                scopes.append(scope)
                pending = nil
            } else {
                scopes.append(Scope(kind: .local, path: path))
            }
            if scopes[scopes.count - 1].isLocal { readClosureParameters(index + 1) }
            open.append("{")
        case "(", "[": open.append(tokens[index].text)
        case ")", "]": _ = open.popLast()
        case "}":
            _ = open.popLast()
            if scopes.count > 1 { scopes.removeLast() }
        default: break
        }
    }

    /// `{ [weak self] (name: Type, _) -> Type in`.
    private mutating func readClosureParameters(_ start: Int) {
        var index = start
        if text(index) == "[" { index = partners[index] + 1 }
        if text(index) == "(" {
            let end = partners[index]
            guard tokens[index...].prefix(end - index + 12).contains(where: { $0.text == "in" }),
                end < tokens.count, ["in", "async", "throws", "-"].contains(text(end + 1))
            else { return }
            readParameters(index, into: scopes.count - 1)
            return
        }
        var names: [Int] = []
        while isWord(index), text(index) != "in" {
            names.append(index)
            index += 1
            guard text(index) == "," else { break }
            index += 1
        }
        guard text(index) == "in", !names.isEmpty else { return }
        for name in names {
            isRead[name] = true
            scopes[scopes.count - 1].locals[text(name)] = .unknown
        }
    }

    // MARK: Declarations

    /// - Returns: whether the word begins a declaration.
    private mutating func readDeclaration(_ index: Int) -> Bool {
        guard text(index - 1) != "." else { return false }
        switch text(index) {
        case "import": readImport(index)
        case "struct", "class", "enum", "protocol", "actor":
            guard isWord(index + 1), text(index + 1).first?.isUppercase == true else {
                return false
            }
            readType(index)
        case "typealias", "associatedtype": readAlias(index)
        case "extension":
            guard isWord(index + 1) || text(index + 1) == "[" else { return false }
            readExtension(index)
        case "func": readFunction(index, name: index + 1)
        case "init", "subscript":
            guard !scopes[scopes.count - 1].isLocal, open.last == "{" else { return false }
            readFunction(index, name: index)
        case "let", "var": readValue(index)
        case "case": readCases(index)
        case "for": readLoop(index)
        case "catch":
            pending = (Scope(kind: .local, path: path, locals: ["error": .unknown]), depth)
        default: return false
        }
        return true
    }

    private static let modifiers: Set = [
        "public", "package", "internal", "open", "final", "static", "class", "override", "lazy",
        "weak", "unowned", "mutating", "nonmutating", "convenience", "required", "nonisolated",
        "indirect", "dynamic", "optional", "async", "prefix", "postfix",
    ]

    /// Whether `private` or `fileprivate` stands before it, not only for the setter.
    private func isPrivate(_ index: Int) -> Bool {
        if scopes[scopes.count - 1].isPrivate { return true }
        var index = index - 1
        while index >= 0 {
            if text(index) == ")", index >= 3, text(index - 2) == "(" {
                index -= 4
            } else if text(index) == "private" || text(index) == "fileprivate" {
                return true
            } else if Self.modifiers.contains(text(index)) {
                index -= 1
            } else {
                return false
            }
        }
        return false
    }

    private mutating func declare(
        _ kind: SourceFacts.Declaration.Kind, _ name: Int, modifiersBefore index: Int,
        _ change: (inout SourceFacts.Declaration) -> Void = { _ in }
    ) {
        var declaration = SourceFacts.Declaration(
            kind: kind, keyword: text(index), name: text(name), owner: path,
            line: tokens[name].line)
        declaration.isPrivate = isPrivate(index)
        change(&declaration)
        facts.declarations.append(declaration)
    }

    private mutating func readImport(_ index: Int) {
        var name = index + 1
        let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        if kinds.contains(text(name)) { name += 1 }
        facts.imports.append(text(name))
        isRead[name] = true
    }

    private mutating func readType(_ index: Int) {
        let name = index + 1
        isRead[name] = true
        let isHidden = isPrivate(index)
        if scopes[scopes.count - 1].isLocal {
            scopes[scopes.count - 1].locals[text(name)] = .unknown
        } else {
            let supertypes = supertypes(behind: name + 1)
            declare(.type, name, modifiersBefore: index) { $0.supertypes = supertypes }
        }
        let scope = Scope(
            kind: .type(isEnum: text(index) == "enum"), path: path + [text(name)],
            isPrivate: isHidden, locals: genericParameters(name + 1))
        pending = (scope, depth)
    }

    private mutating func readAlias(_ index: Int) {
        let name = index + 1
        isRead[name] = true
        let type = text(name + 1) == "=" ? typeName(name + 2) : nil
        declare(.type, name, modifiersBefore: index) { $0.type = type }
    }

    private mutating func readExtension(_ index: Int) {
        let type = typeName(index + 1)?.path ?? []
        var declaration = SourceFacts.Declaration(
            kind: .type, keyword: "extension", name: type.last ?? "", owner: type.dropLast(),
            line: tokens[index].line)
        declaration.supertypes = supertypes(behind: index + 1)
        facts.declarations.append(declaration)
        let scope = Scope(
            kind: .type(isEnum: false), path: type, isPrivate: isPrivate(index))
        pending = (scope, depth)
    }

    private mutating func readFunction(_ index: Int, name: Int) {
        var start = name + 1
        var locals = genericParameters(start)
        while start < tokens.count, text(start) != "(" { start += 1 }
        guard start < tokens.count else { return }
        if isWord(name) { isRead[name] = true }
        scopes.append(Scope(kind: .local, path: path, locals: locals))
        let labels = readParameters(start, into: scopes.count - 1)
        locals = scopes.removeLast().locals
        var result = partners[start] + 1
        while ["async", "throws", "rethrows"].contains(text(result)) {
            result += 1
            if text(result) == "(" { result = partners[result] + 1 }
        }
        let isArrow = text(result) == "-" && text(result + 1) == ">"
        let type = isArrow ? typeName(result + 2) : nil
        if !scopes[scopes.count - 1].isLocal, isWord(name) {
            declare(.function, name, modifiersBefore: index) {
                $0.labels = labels
                $0.type = type
            }
        } else if isWord(name) {
            scopes[scopes.count - 1].locals[text(name)] = .unknown
        }
        pending = (Scope(kind: .local, path: path, locals: locals), depth)
    }

    /// The parameters' labels; their names become local.
    @discardableResult
    private mutating func readParameters(_ start: Int, into scope: Int) -> [String] {
        var labels: [String] = []
        var index = start + 1
        while index < partners[start] {
            let isFirst = text(index - 1) == "(" || text(index - 1) == ","
            if isFirst, isWord(index) {
                let name = isWord(index + 1) ? index + 1 : index
                labels.append(text(index))
                isRead[index] = true
                isRead[name] = true
                let type = text(name + 1) == ":" ? typeName(name + 2) : nil
                scopes[scope].locals[text(name)] = type.map { .type($0) } ?? .unknown
                index = name + 1
            } else {
                let isOpening = text(index) == "(" || text(index) == "[" || text(index) == "{"
                index = isOpening ? partners[index] + 1 : index + 1
            }
        }
        return labels
    }

    private mutating func readValue(_ index: Int) {
        let isLocal = scopes[scopes.count - 1].isLocal
        if text(index + 1) == "(" {
            for name in (index + 2)..<max(partners[index + 1], index + 2) where isWord(name) {
                isRead[name] = true
                if isLocal { scopes[scopes.count - 1].locals[text(name)] = .unknown }
            }
            return
        }
        let name = index + 1
        guard isWord(name) else { return }
        isRead[name] = true
        let type = text(name + 1) == ":" ? typeName(name + 2) : nil
        var initial: SourceFacts.Use?
        if type == nil, text(name + 1) == "=" { initial = expression(name + 2) }
        if !isLocal {
            declare(.value, name, modifiersBefore: index) {
                $0.type = type
                $0.initial = initial
            }
        } else if text(name + 1) == "=" || text(name + 1) == ":" || text(name + 1) == "in" {
            scopes[scopes.count - 1].locals[text(name)] =
                type.map { .type($0) } ?? initial.map { .result(of: $0) } ?? .unknown
        } else if text(name + 1) == ")" || text(name + 1) == "," || text(name - 2) == "catch" {
            // A pattern's name; `if let name` alone is what the name was before.
            let isShort = ["if", "guard", "while", ","].contains(text(index - 1)) && depth == 0
            if !isShort { scopes[scopes.count - 1].locals[text(name)] = .unknown }
        }
    }

    private mutating func readCases(_ index: Int) {
        guard case .type(isEnum: true) = scopes[scopes.count - 1].kind, open.last == "{" else {
            return
        }
        var name = index + 1
        while isWord(name) {
            isRead[name] = true
            let type = TypeName(path: path)
            declare(.value, name, modifiersBefore: index) { $0.type = type }
            name += 1
            if text(name) == "(" {
                readCaseLabels(name)
                name = partners[name] + 1
            }
            if text(name) == "=" { name += text(name + 1) == "-" ? 3 : 2 }
            guard text(name) == "," else { return }
            name += 1
        }
    }

    private mutating func readCaseLabels(_ start: Int) {
        for index in (start + 1)..<max(partners[start], start + 1)
        where isWord(index) && text(index + 1) == ":" { isRead[index] = true }
    }

    private mutating func readLoop(_ index: Int) {
        var name = index + 1
        while name < min(index + 12, tokens.count), text(name) != "in", text(name) != "{" {
            name += 1
        }
        guard text(name) == "in", text(index + 1) != "case" else { return }
        for word in (index + 1)..<name where isWord(word) {
            isRead[word] = true
            scopes[scopes.count - 1].locals[text(word)] = .unknown
        }
    }
}
