/// Which folders of a module use which, found in their sources.
///
/// A folder uses another where one of its sources names what a source of the other declares: a type,
/// a nested type, a function or a value, also one that stands in an extension.
struct FolderGraph {
    /// One place where a folder uses another.
    struct Use: Hashable {
        var path: String
        var line: Int
        var name: String
        /// The source that declares the name.
        var target: String

        var text: String { "    \(path):\(line) uses \(name) of \(target)" }
    }

    let module: String
    /// Every folder that has sources itself, with their number.
    let folders: [String: Int]
    /// For each folder those it uses, and where.
    private(set) var arrows: [String: [String: [Use]]] = [:]

    init(module: String, sources: [ModuleIndex.Source]) {
        self.module = module
        folders = Dictionary(grouping: sources, by: \.folder).mapValues(\.count)
        let index = ModuleIndex(module, sources)
        for (number, source) in sources.enumerated() {
            for use in source.facts.uses {
                index.follow(use) { name, found, isSure in
                    if !isSure, !found.allSatisfy({ index.isApart($0) }) { return }
                    add(name, use.line, number, found, in: index)
                }
            }
        }
    }

    /// Several declarations of one name count where none is the folder's own and all are another's.
    private mutating func add(
        _ name: String, _ line: Int, _ number: Int, _ found: [ModuleIndex.Found],
        in index: ModuleIndex
    ) {
        let source = index.sources[number]
        let visible = found.filter { !$0.declaration.isPrivate || $0.source == number }
        let targets = Set(visible.map { index.sources[$0.source].folder })
        guard targets.count == 1, let target = targets.first, target != source.folder,
            let declared = visible.first
        else { return }
        let use = Use(
            path: source.path, line: line, name: name,
            target: index.sources[declared.source].path)
        arrows[source.folder, default: [:]][target, default: []].append(use)
    }

    func targets(of folder: String) -> [String] { (arrows[folder] ?? [:]).keys.sorted() }

    func uses(_ folder: String, _ target: String) -> [Use] { arrows[folder]?[target] ?? [] }

    /// "module/folder -> folder".
    func arrow(_ folder: String, _ target: String) -> String {
        "\(module)/\(folder) -> \(target)"
    }

    /// The same without some arrows.
    func without(_ exceptions: Set<String>) -> FolderGraph {
        var graph = self
        for (folder, uses) in arrows {
            graph.arrows[folder] = uses.filter { !exceptions.contains(arrow(folder, $0.key)) }
        }
        return graph
    }

    /// The tree of folders with the number of files, and behind each folder those that it uses.
    var text: String {
        let names = folders.keys.sorted()
        let width = (names.map(\.count).max() ?? 0) + 2
        let lines = names.map { folder in
            let name = folder.isEmpty ? "." : folder
            let padding = String(repeating: " ", count: width - name.count)
            let count = String(repeating: " ", count: folders[folder] ?? 0 < 10 ? 1 : 0)
            let uses = targets(of: folder).map { $0.isEmpty ? "." : $0 }
            let arrow = uses.isEmpty ? "" : "  -> " + uses.joined(separator: ", ")
            return "  \(name)\(padding)\(count)\(folders[folder] ?? 0) files\(arrow)"
        }
        return ([module] + lines).joined(separator: "\n")
    }

    /// The sets of folders that can all be reached from each other.
    var cycles: [[String]] {
        let reach = Dictionary(uniqueKeysWithValues: folders.keys.map { ($0, reachable(from: $0)) })
        var result: [[String]] = []
        var seen: Set<String> = []
        for folder in folders.keys.sorted() where !seen.contains(folder) {
            let cycle = (reach[folder] ?? []).filter { reach[$0]?.contains(folder) == true }
            if cycle.isEmpty { continue }
            seen.formUnion(cycle)
            result.append(cycle.sorted())
        }
        return result
    }

    private func reachable(from folder: String) -> Set<String> {
        var seen: Set<String> = []
        var open = targets(of: folder)
        while let next = open.popLast() {
            if seen.insert(next).inserted { open += targets(of: next) }
        }
        return seen
    }
}
