/// Which folders of a module use which, found in their sources.
///
/// A folder uses another where one of its sources has a word that the module declares in the other
/// alone: a type, a function or value of no type, a nested type behind its owner's name, or behind a
/// dot a member that an extension of another folder's type adds.
struct FolderGraph {
    /// One place where a folder uses another.
    struct Use: Hashable {
        var path: String
        var line: Int
        var name: String

        var text: String { "    \(path):\(line) uses \(name)" }
    }

    let module: String
    /// Every folder that has sources itself, with their number.
    let folders: [String: Int]
    /// For each folder those it uses, and where.
    private(set) var arrows: [String: [String: [Use]]] = [:]

    /// The folders that declare a name; "?" is in it where a name is declared as anything else too.
    private var types: [String: Set<String>] = [:]
    private var nested: [String: Set<String>] = [:]
    private var members: [String: Set<String>] = [:]

    /// - Parameter common: members of extensions whose names types of other modules have too.
    init(module: String, files: [PackageSources.File], common: Set<String> = []) {
        self.module = module
        folders = Dictionary(grouping: files, by: \.folderInModule).mapValues(\.count)
        let all = files.flatMap { file in
            file.text.declarations.map { (folder: file.folderInModule, declared: $0) }
        }.filter { !$0.declared.isPrivate }
        for (folder, declared) in all where declared.isType {
            let name = declared.owner.map { $0 + "." + declared.name } ?? declared.name
            if declared.owner == nil {
                types[name, default: []].insert(folder)
            } else {
                nested[name, default: []].insert(folder)
            }
        }
        for (folder, declared) in all where !declared.isType {
            members[declared.name, default: []].insert(folder)
            let isApart = declared.owner.map { types[$0]?.contains(folder) != true } ?? true
            let isAdded = declared.isInExtension && declared.indent == 4 && isApart
            if declared.owner == nil {
                types[declared.name, default: []].insert(folder)
            } else if !isAdded || common.contains(declared.name) {
                members[declared.name]?.insert("?")
            }
        }
        for file in files { addArrows(of: file) }
    }

    private mutating func addArrows(of file: PackageSources.File) {
        let own = Set(file.text.declarations.filter { $0.owner != nil || $0.isPrivate }.map(\.name))
        let words = file.text.words
        for (index, word) in words.enumerated() {
            let owner = index > 0 && word.before == "." ? words[index - 1].text : nil
            // A name before a colon is a label, but not in `[Key: Value]`.
            guard word.after != ":" || word.before == "[" else { continue }
            // A name behind its module's is the outer one.
            let isOuter = owner == module || owner == nil && !own.contains(word.text)
            let found: Set<String>? =
                if isOuter, let found = types[word.text] {
                    found
                } else if let owner {
                    nested[owner + "." + word.text] ?? members[word.text]
                } else {
                    nil
                }
            guard let found, found.count == 1, let target = found.first,
                target != file.folderInModule
            else { continue }
            let path = String(file.path.dropFirst(module.count + 1))
            arrows[file.folderInModule, default: [:]][target, default: []]
                .append(Use(path: path, line: word.line, name: word.text))
        }
    }

    func targets(of folder: String) -> [String] { (arrows[folder] ?? [:]).keys.sorted() }

    func uses(_ folder: String, _ target: String) -> [Use] { arrows[folder]?[target] ?? [] }
}
