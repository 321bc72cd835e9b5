/// The findings of one source: AFNetworking's names in it, and what replaces them.
struct SourceScan {
    struct Finding: Equatable {
        enum Kind: Equatable {
            case name
            case row
            /// Nothing replaces it.
            case unanswered
        }

        let kind: Kind
        let text: String
        /// The lines, each once, in order.
        var lines: [Int]
    }

    let path: String
    private(set) var findings: [Finding] = []
    private var places: [String: Int] = [:]

    /// Whether one of its methods may override AFNetworking's.
    fileprivate var isOverriding = false

    fileprivate init(path: String) {
        self.path = path
    }

    fileprivate mutating func add(_ kind: Finding.Kind, _ text: String, _ line: Int) {
        guard let place = places[text] else {
            places[text] = findings.count
            findings.append(Finding(kind: kind, text: text, lines: [line]))
            return
        }
        if findings[place].lines.last != line { findings[place].lines.append(line) }
    }

    fileprivate mutating func sort() {
        for place in findings.indices {
            findings[place].lines = Set(findings[place].lines).sorted()
        }
        let order = findings.enumerated().sorted {
            ($0.element.lines[0], $0.offset) < ($1.element.lines[0], $1.offset)
        }
        findings = order.map(\.element)
    }
}

/// Looks for old names in sources.
struct SourceScanner {
    private let index: RenameIndex
    private let exact: [String: [TableRows.Row]]
    private let beginnings: [(start: String, row: TableRows.Row)]
    private let project: ProjectNames

    init(_ project: ProjectNames, index: RenameIndex, rows: TableRows = TableRows()) {
        self.index = index
        self.project = project
        var exact: [String: [TableRows.Row]] = [:]
        var beginnings: [(String, TableRows.Row)] = []
        for (start, names) in TableRows.triggers {
            guard let row = rows.row(start) else { continue }
            for name in names {
                if name.last == "*" {
                    beginnings.append((String(name.dropLast()), row))
                } else {
                    exact[name, default: []].append(row)
                }
            }
        }
        self.exact = exact
        self.beginnings = beginnings
    }

    /// Whether a word has AFNetworking's prefix.
    static func isTheirs(_ word: String) -> Bool {
        let bare = word.hasPrefix("k") ? word.dropFirst() : word[...]
        guard bare.hasPrefix("AF"), let third = bare.dropFirst(2).first, third.isUppercase
        else { return false }
        return bare != "AFNetworking" && bare.contains(where: \.isLowercase)
    }

    func scan(_ source: ScannedSource) -> SourceScan {
        var scan = SourceScan(path: source.path)
        scan.isOverriding = isOverridable(in: source)
        for mention in source.mentions { look(at: mention, in: source, &scan) }
        for (name, parent, line) in source.declared where name != parent {
            guard let parent, index.types.contains(parent) else { continue }
            if source.isSwift, parent.hasSuffix("Manager") || parent.hasSuffix("Operation") {
                add("class:init", line, &scan)
            }
            add("class:\(parent)", line, &scan)
        }
        scan.sort()
        return scan
    }

    private func look(
        at mention: SourceMention, in source: ScannedSource, _ scan: inout SourceScan
    ) {
        switch mention.name {
        case .header(let header): look(atHeader: header, mention.line, &scan)
        case .pair(let pair): if source.isOfAFNetworking { add(pair, mention.line, &scan) }
        case .word(let word):
            if let row = index.words[word] {
                name(word, row, mention, &scan)
            } else if word == "AFNetworking", source.isSwift {
                let text = "AFNetworking: stays until no old name is left (MIGRATION.md)"
                scan.add(.name, text, mention.line)
            } else if Self.isTheirs(word), !project.own.contains(word) {
                scan.add(
                    .unanswered, "\(word): nothing here, because \(RenameIndex.reason(word))",
                    mention.line)
            }
            if source.isOfAFNetworking { add(word, mention.line, &scan) }
        case .member(let member):
            for row in index.members[member] ?? [] where isToDo(row, source) {
                let isNamed = source.types.contains { index.family($0).contains(row.owner) }
                guard isNamed else { continue }
                name(member, row, mention, &scan)
            }
            if source.isOfAFNetworking { add(member, mention.line, &scan) }
        case .message(let message): look(atMessage: message, mention, source, &scan)
        case .call(let base, let labels):
            look(atCall: base, labels, mention, source, &scan)
        }
    }

    private func isToDo(_ row: RenameIndex.Row, _ source: ScannedSource) -> Bool {
        source.isSwift ? row.needsChangeInSwift : !row.note.isEmpty || row.new != row.swift
    }

    private func name(
        _ written: String, _ row: RenameIndex.Row, _ mention: SourceMention,
        _ scan: inout SourceScan
    ) {
        let owner = row.owner.isEmpty ? "" : " of \(row.owner)"
        scan.add(.name, "\(written)\(owner): \(row.answer)", mention.line)
    }

    private func add(_ name: String, _ line: Int, _ scan: inout SourceScan) {
        let rows = (exact[name] ?? []) + beginnings.filter { name.hasPrefix($0.start) }.map(\.row)
        for row in rows { scan.add(.row, row.text, line) }
    }

    private func add(_ name: String, _ mention: SourceMention, _ scan: inout SourceScan) {
        add(name, mention.line, &scan)
        if mention.isMethod { add("func \(name)", mention.line, &scan) }
    }

    /// The rows of the receiver's type; else of the types that the source names, or else the project.
    private func chosen(
        _ rows: [RenameIndex.Row], _ receiver: String?, _ source: ScannedSource
    ) -> [RenameIndex.Row] {
        if let receiver, index.types.contains(receiver) {
            let family = index.family(receiver)
            return family.lazy.map { type in rows.filter { $0.owner == type } }
                .first { !$0.isEmpty } ?? []
        }
        let near = rows.filter { row in
            source.types.contains { index.family($0).contains(row.owner) }
        }
        return near.isEmpty ? rows.filter(isNamed) : near
    }

    private func isNamed(_ row: RenameIndex.Row) -> Bool {
        project.theirs.contains(row.owner) || !row.owner.hasPrefix("AF")
    }

    // MARK: - Objective-C

    private func look(atHeader header: String, _ line: Int, _ scan: inout SourceScan) {
        let file = header.split(separator: "/").last.map(String.init) ?? header
        // A category's header begins with its class's name too.
        guard !file.contains("+") || header.contains("AFNetworking") else { return }
        let type = file.replacing(".h", with: "")
        if header.contains("AFNetworking") {
            let modules = "OperationNetworking, SessionEra for session managers, NetworkImages"
            scan.add(.name, "\(file): import \(modules)", line)
        } else if let row = index.words[type] {
            scan.add(.name, "\(file): import the module of \(row.new)", line)
        } else if Self.isTheirs(type), !project.own.contains(type) {
            scan.add(
                .unanswered, "\(file): nothing here, because \(RenameIndex.reason(type))", line)
        }
    }

    private func look(
        atMessage message: String, _ mention: SourceMention, _ source: ScannedSource,
        _ scan: inout SourceScan
    ) {
        let receiver = mention.receiver.flatMap { project.ancestor($0, index) }
        // The project's own type has a method of that name.
        if receiver == nil, let asked = mention.receiver, project.own.contains(asked) { return }
        if mention.isMethod, !scan.isOverriding { return }
        let hasReceiver = receiver != nil
        let rows = chosen(index.messages[message] ?? [], receiver, source)
        let isDistinct = message.count { $0 == ":" } > 1 || message.count > 20
        for row in rows where !Self.foundation.contains(message) {
            guard hasReceiver || isDistinct || (source.isOfAFNetworking && isToDo(row, source))
            else {
                continue
            }
            name(message, row, mention, &scan)
        }
        if hasReceiver, rows.isEmpty, receiver == mention.receiver,
            !Self.ofNSObject.contains(message)
        {
            let reason = "no header has it; inherited, or a category of the project's own"
            scan.add(
                .unanswered,
                "\(message) of \(mention.receiver ?? ""): nothing here, because \(reason)",
                mention.line)
        }
        if source.isOfAFNetworking { add(message, mention, &scan) }
    }

    /// Whether a method in the source may override one of AFNetworking's.
    private func isOverridable(in source: ScannedSource) -> Bool {
        source.types.contains { $0.hasSuffix("Serialization") }
            || source.declared.contains { project.ancestor($0.name, index) != nil }
    }

    /// Names that Apple's types have too, with the same meaning here.
    private static let foundation: Set = [
        "setValue:forHTTPHeaderField:", "addValue:forHTTPHeaderField:", "init", "initWithRequest:",
    ]

    /// Methods of `NSObject`.
    private static let ofNSObject: Set = [
        "alloc", "new", "class", "init", "copy", "self", "description", "initialize", "load",
        "instancesRespondToSelector:", "isSubclassOfClass:", "superclass",
    ]

    // MARK: - Swift

    private func look(
        atCall base: String, _ labels: [String], _ mention: SourceMention,
        _ source: ScannedSource, _ scan: inout SourceScan
    ) {
        let written = "\(base)(\(labels.map { $0 + ":" }.joined()))"
        let known = index.calls[base] ?? []
        let owners = Set(chosen(known.map(\.row), nil, source))
        let fitting = known.filter { owners.contains($0.row) && Self.fits(labels, $0.labels) }
        let exact = fitting.filter { $0.labels == labels }
        let fewest = fitting.map(\.labels.count).min()
        for (_, row) in exact.isEmpty ? fitting.filter({ $0.labels.count == fewest }) : exact
        where row.needsChangeInSwift && (source.isOfAFNetworking || base.count >= 14) {
            name(row.swift, row, mention, &scan)
        }
        if source.isOfAFNetworking { add(written, mention, &scan) }
    }

    /// Whether a call with these labels may call a function with those: trailing closures have no
    /// labels, and parameters with defaults may be missing.
    private static func fits(_ written: [String], _ all: [String]) -> Bool {
        guard written != all else { return true }
        guard !written.isEmpty, written.contains(where: { $0 != "_" }) || all.count <= 2 else {
            return false
        }
        var rest = all[...]
        for label in written {
            guard let place = rest.firstIndex(of: label) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }
}
