extension SourceParser {
    private static let keywords: Set = [
        "as", "is", "in", "if", "else", "guard", "switch", "case", "default", "for", "while",
        "repeat", "return", "throw", "throws", "rethrows", "try", "catch", "do", "break",
        "continue", "fallthrough", "where", "let", "var", "func", "nil", "true", "false", "import",
        "struct", "class", "enum", "protocol", "actor", "extension", "typealias",
        "associatedtype", "static", "public", "package", "internal", "private", "fileprivate",
        "open", "final", "override", "lazy", "weak", "unowned", "mutating", "nonmutating",
        "convenience", "required", "async", "await", "any", "some", "inout", "defer", "deinit",
        "indirect", "borrowing", "consuming", "sending", "nonisolated", "isolated", "unsafe",
        "willSet", "didSet", "_",
    ]

    /// Notes a use that begins with a word.
    mutating func readUse(_ index: Int) {
        if text(index - 1) == "@" || text(index - 1) == "#" { return }
        let isMember = text(index - 1) == "."
        if !isMember, Self.keywords.contains(text(index)) { return }
        if text(index) == "get" || text(index) == "set", text(index + 1) == "{" { return }
        if isLabel(index) || text(index).first?.isNumber == true { return }
        guard let use = use(index), !use.links.isEmpty else { return }
        facts.uses.append(use)
    }

    /// `name:` behind a parenthesis or a comma in parentheses.
    private func isLabel(_ index: Int) -> Bool {
        text(index + 1) == ":" && open.last == "("
            && (text(index - 1) == "(" || text(index - 1) == ",")
    }

    /// The use that an initial value is; nil where it is something else.
    mutating func expression(_ start: Int) -> SourceFacts.Use? {
        var index = start
        while text(index) == "try" || text(index) == "await" {
            index += text(index + 1) == "?" ? 2 : 1
        }
        guard isWord(index), !Self.keywords.contains(text(index)) else { return nil }
        let read = isRead
        defer { isRead = read }
        guard let (links, end) = links(index) else { return nil }
        // An operator behind it makes something else of it, a closure may.
        let next = text(end)
        let isWhole =
            end >= tokens.count || tokens[end].isWord || next == "}" || next == "," || next == "@"
            || next == ")" || next == "." || next == "#"
            || (next == "{" && tokens[end].line == tokens[end - 1].line)
        return isWhole && next != "as" ? use(links, index) : nil
    }

    private mutating func use(_ index: Int) -> SourceFacts.Use? {
        links(index).flatMap { use($0.links, index) }
    }

    private func use(_ links: [SourceFacts.Use.Link], _ index: Int) -> SourceFacts.Use? {
        var use = SourceFacts.Use(
            links: links, receiver: .scope, scope: path, line: tokens[index].line)
        if text(index - 1) == "." {
            use.receiver = .unknown
            return use
        }
        switch text(index) {
        case "self", "Self":
            use.receiver = .type(TypeName(path: path))
            use.links.removeFirst()
        case "super":
            use.receiver = .type(TypeName(path: path + ["super"]))
            use.links.removeFirst()
        case let name where name.hasPrefix("$"):
            use.receiver = .unknown
            use.links.removeFirst()
        case let name:
            guard let local = local(name) else { break }
            // What is called or subscripted is not the value itself.
            let isPlain = links[0].labels == nil && !links[0].isSubscripted
            use.receiver = isPlain ? local : .unknown
            use.links.removeFirst()
        }
        return use
    }

    private func local(_ name: String) -> SourceFacts.Use.Receiver? {
        if let receiver = pending?.scope.locals[name] { return receiver }
        for scope in scopes.reversed() {
            if let receiver = scope.locals[name] { return receiver }
        }
        return nil
    }

    /// The names from a word on that belong together, and the token behind them.
    private mutating func links(_ start: Int) -> (links: [SourceFacts.Use.Link], end: Int)? {
        var links: [SourceFacts.Use.Link] = []
        var index = start
        while isWord(index) {
            isRead[index] = true
            var link = SourceFacts.Use.Link(name: text(index))
            let isType = link.name.first?.isUppercase == true
            index += 1
            if isType, text(index) == "<", !isSpaced(index) { index = behindGenerics(index) }
            index = behindMarks(index)
            while index < tokens.count, !isSpaced(index) {
                if text(index) == "(" {
                    link.labels = labels(index)
                } else if text(index) == "[" {
                    link.isSubscripted = true
                } else {
                    break
                }
                index = behindMarks(partners[index] + 1)
            }
            links.append(link)
            guard text(index) == ".", isWord(index + 1) else { break }
            index += 1
        }
        return links.isEmpty ? nil : (links, min(index, tokens.count))
    }

    private func isSpaced(_ index: Int) -> Bool {
        tokens.indices.contains(index) ? tokens[index].isSpaced : true
    }

    /// Behind `?` and `!` that belong to the name before.
    private func behindMarks(_ start: Int) -> Int {
        var index = start
        while text(index) == "?" || text(index) == "!", !isSpaced(index) { index += 1 }
        return index
    }

    /// Behind `<A, B>`, or the same place where no types stand there.
    private func behindGenerics(_ start: Int) -> Int {
        var depth = 0
        var index = start
        while index < min(start + 60, tokens.count) {
            switch text(index) {
            case "<": depth += 1
            case ">":
                depth -= 1
                if depth == 0 { return index + 1 }
            case ".", ",", ":", "?", "[", "]", "(", ")", "&", "@", "-": break
            default: if !isWord(index) { return start }
            }
            index += 1
        }
        return start
    }

    private func labels(_ start: Int) -> [String] {
        var labels: [String] = []
        var index = start + 1
        while index < partners[start] {
            if text(index - 1) == "(" || text(index - 1) == "," {
                let isLabel = isWord(index) && text(index + 1) == ":"
                labels.append(isLabel ? text(index) : "_")
            }
            let isOpening = ["(", "[", "{"].contains(text(index))
            index = isOpening ? partners[index] + 1 : index + 1
        }
        return labels
    }
}
