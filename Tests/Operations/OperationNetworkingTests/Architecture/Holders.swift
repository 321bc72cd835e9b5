import TestSupport

/// The types of the library that hold a queue, a limit, a thread or a state machine, found in the text of the sources.
struct Holders {
    struct Row: Hashable {
        let type: String
        let module: String
        var holds: Set<Kind>
    }

    enum Kind: String, CaseIterable {
        case thread, queue, limit, state

        /// Whether a line of code shows it.
        func isIn(_ line: String) -> Bool {
            // A plain search first: it is many times as quick.
            guard signs.contains(where: line.utf8.contains) else { return false }
            return matches(line)
        }

        private var signs: [String.UTF8View] {
            let words =
                switch self {
                case .thread: ["hread", "WorkerPool"]
                case .queue: ["Queue"]
                case .limit: ["Limiter"]
                case .state: ["enum"]
                }
            return words.map(\.utf8)
        }

        private func matches(_ line: String) -> Bool {
            switch self {
            case .thread:
                line.contains(#/\b(pthread_create|detachNewThread|startThread)\b|\bWorkerPool\(/#)
            case .queue:
                line.contains(#/\bDispatchQueue\((label|$)|\bOperationQueue\(\)/#)
                    || line.contains(#/\bclass \w+: OperationQueue\b/#)
            case .limit:
                line.contains(#/[:=] \[?\w*Limiter(<|\()|\bLimiter<\w+, /#)
            case .state:
                line.contains(#/^ +.*\benum \w*(State|Phase)\b/#)
            }
        }
    }

    /// Groups of `Sources` that are not the library.
    private static let others = ["Teaching/", "Program/"]

    let rows: [Row]
    /// The first sentence of each type's comment, by module and name.
    private let sentences: [String: String]

    init(_ files: [PackageSources.File]) {
        var found: [String: Row] = [:]
        var sentences: [String: String] = [:]
        var declared: Set<String> = []
        for file in files {
            for type in file.text.declarations where type.isType && type.indent == 0 {
                let key = file.module + "." + type.name
                declared.insert(key)
                sentences[key] = sentences[key] ?? Self.sentence(above: type.line, in: file.lines)
            }
            for (index, line) in file.text.code.enumerated() {
                let kinds = Kind.allCases.filter { $0.isIn(line) }
                guard !kinds.isEmpty, let type = Self.owner(of: index, in: file.text.code) else {
                    continue
                }
                let key = file.module + "." + type
                found[key, default: Row(type: type, module: file.module, holds: [])].holds
                    .formUnion(kinds)
            }
        }
        // What is extended and declared elsewhere is not of the library.
        found = found.filter { declared.contains($0.key) }
        rows = found.values.sorted { ($0.module, $0.type) < ($1.module, $1.type) }
        self.sentences = sentences
    }

    /// Those of the library.
    static let library: Holders = {
        let texts = PackageSources.texts(in: "Sources").filter { text in
            !others.contains { text.path.hasPrefix($0) }
        }
        return Holders(
            texts.map { text in
                let path = text.path.drop { $0 != "/" }.dropFirst()
                return PackageSources.File(path: String(path), text: text.text)
            })
    }()

    /// The type, or the type that is extended, at the margin above a line or on it.
    private static func owner(of index: Int, in code: [String]) -> String? {
        let head = code[...index].last {
            $0.contains(#/^(?:[a-z@].* )?(?:class|struct|enum|actor|extension) \w/#)
        }
        return head.flatMap { $0.firstMatch(of: #/\b(?:class|struct|enum|actor|extension) (\w+)/#) }
            .map { String($0.1) }
    }

    private static func sentence(above line: Int, in lines: [String]) -> String? {
        let comment = lines[..<(line - 1)].reversed().prefix {
            $0.hasPrefix("///") || $0.hasPrefix("@")
        }
        .reversed().filter { $0.hasPrefix("///") }
        .map { $0.dropFirst(3).trimmingCharacters(in: .whitespaces) }
        .prefix { !$0.isEmpty }.joined(separator: " ")
        guard !comment.isEmpty else { return nil }
        let end = comment.firstRange(of: ". ")?.lowerBound ?? comment.endIndex
        return comment[..<end].trimmingCharacters(in: ["."])
    }

    /// The rows of the table, in Markdown.
    var table: String {
        let lines = rows.map { row in
            let kinds = Kind.allCases.filter(row.holds.contains).map(\.rawValue)
            let sentence = sentences[row.module + "." + row.type] ?? "?"
            return
                "| `\(row.type)` | \(row.module) | \(kinds.joined(separator: ", ")) | \(sentence) |"
        }
        return (["| type | module | holds | what it is |", "|---|---|---|---|"] + lines)
            .joined(separator: "\n")
    }
}
