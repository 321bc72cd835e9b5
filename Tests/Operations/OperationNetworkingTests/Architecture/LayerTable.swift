import Foundation

/// The table of layers in Documentation/Folders.md, as the sources make it.
struct LayerTable {
    struct Row: Equatable {
        /// One more than the highest line it uses.
        var line: Int
        /// A module, or a folder of one.
        var name: String
        /// First folders of its own module, then modules.
        var uses: String
    }

    static let file = PackageSources.root.appendingPathComponent("Documentation/Folders.md")
    static let first = "<!-- layers -->"
    static let last = "<!-- /layers -->"
    private static let head = ["| line | folder | uses | what it is |", "|---:|---|---|---|"]

    private let graphs: [String: FolderGraph]
    /// For each folder the modules that its files import, as far as the table shows them.
    private let imports: [String: Set<String>]

    init(_ files: [PackageSources.File], _ graphs: [String: FolderGraph], modules: Set<String>) {
        self.graphs = graphs
        imports = Dictionary(grouping: files, by: \.folder).mapValues { files in
            Set(files.flatMap(\.imports)).intersection(modules)
        }
    }

    /// From the top line down.
    var rows: [Row] {
        var lines: [String: Int] = [:]
        let rows = graphs.flatMap { module, graph in
            graph.folders.keys.map { folder in
                let name = Self.name(module, folder)
                let own = graph.targets(of: folder).map { $0.isEmpty ? module : $0 }
                let uses = [own, (imports[name] ?? []).sorted()].filter { !$0.isEmpty }
                return Row(
                    line: line(module, folder, &lines), name: name,
                    uses: uses.map { $0.joined(separator: ", ") }.joined(separator: "; "))
            }
        }
        return rows.sorted { ($1.line, $0.name) < ($0.line, $1.name) }
    }

    private static func name(_ module: String, _ folder: String) -> String {
        folder.isEmpty ? module : "\(module)/\(folder)"
    }

    private func line(_ module: String, _ folder: String, _ lines: inout [String: Int]) -> Int {
        let name = Self.name(module, folder)
        if let line = lines[name] { return line }
        // A folder that uses this one in a circle does not see it.
        lines[name] = 0
        var below = (graphs[module]?.targets(of: folder) ?? []).map { line(module, $0, &lines) }
        for used in (imports[name] ?? []).sorted() {
            below += (graphs[used]?.folders.keys.sorted() ?? []).map { line(used, $0, &lines) }
        }
        let result = (below.max() ?? 0) + 1
        lines[name] = result
        return result
    }

    // MARK: The document

    /// What a document's table says that each folder is, by the folder's name.
    static func descriptions(in document: [String]) -> [String: String] {
        Dictionary(
            rows(in: document).map { ($0[1].replacing("`", with: ""), $0[3]) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The rows of a document's table.
    static func shown(in document: [String]) -> [Row] {
        rows(in: document).map { cells in
            Row(line: Int(cells[0]) ?? -1, name: cells[1].replacing("`", with: ""), uses: cells[2])
        }
    }

    private static func rows(in document: [String]) -> [[String]] {
        guard let start = document.firstIndex(of: first), let end = document.firstIndex(of: last),
            start < end
        else { return [] }
        return document[start..<end].dropFirst(1 + head.count).compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
                .dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.count == 4 ? cells : nil
        }
    }

    /// The document with this table in it; a folder without a description has a question mark.
    func written(into document: [String]) -> [String] {
        guard let start = document.firstIndex(of: Self.first),
            let end = document.firstIndex(of: Self.last), start < end
        else { return document }
        let descriptions = Self.descriptions(in: document)
        let table = rows.map { row in
            "| \(row.line) | `\(row.name)` | \(row.uses) | \(descriptions[row.name] ?? "?") |"
        }
        return document[...start] + Self.head + table + document[end...]
    }
}
