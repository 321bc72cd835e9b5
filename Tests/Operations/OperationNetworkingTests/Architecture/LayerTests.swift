import TestSupport

@Suite("The layers of the package", .timeLimit(.minutes(5)))
struct LayerTests {
    private static let modules = PackageSources.graphs.keys.sorted()

    private static func graph(_ module: String) throws -> FolderGraph {
        try #require(PackageSources.graphs[module])
    }

    // MARK: Modules

    @Test(
        arguments: PackageManifest.targets)
    func `a target imports what it depends on, and nothing else of the package`(
        of target: PackageManifest.Target
    ) {
        let names = Set(PackageManifest.targets.map(\.name))
        let imported = PackageSources.imports(in: target.folder).intersection(names)
        #expect(imported.subtracting([target.name]) == target.dependencies)
    }

    @Test
    func `each module of the sources is a target`() {
        let names = Set(PackageManifest.targets.map(\.name))
        #expect(names.count > 20 && names.isSuperset(of: Self.modules))
    }

    @Test
    func `CurlConnection knows nothing of operations`() throws {
        let files = try #require(PackageSources.modules["CurlConnection"])
        for file in files {
            let words = Set(file.text.words.map(\.text))
            #expect(words.isDisjoint(with: ["Operation", "OperationQueue"]), "\(file.path)")
        }
    }

    @Test
    func `the session era shares rules with the operations, and knows none of them`() throws {
        let port = try #require(PackageSources.modules["OperationNetworking"])
        let sessions = try #require(PackageSources.modules["SessionEra"])
        let words = sessions.flatMap(\.text.words).filter { $0.before != "." && $0.after != ":" }
        let names = Set(words.map(\.text))
        for file in port where !Layers.sharedWithSessions.contains(file.folderInModule) {
            for type in file.text.declarations
            where type.isType && type.owner == nil && !type.isPrivate {
                let isShared = Layers.typesSharedWithSessions.contains(type.name)
                #expect(isShared || !names.contains(type.name), "\(file.path): \(type.name)")
            }
        }
    }

    @Test
    func `CCurl is imported in one folder`() {
        let importers = PackageSources.all.filter { $0.imports.contains("CCurl") }
        let others = importers.filter { $0.folder != Layers.curlFolder }
        #expect(importers.count > others.count)
        #expect(others.map(\.path) == [])
    }

    // MARK: Folders

    @Test(arguments: modules)
    func `a folder uses only folders below it`(in module: String) throws {
        let graph = try Self.graph(module)
        let order = Layers.folders[module] ?? [""]
        #expect(Set(order) == Set(graph.folders.keys))
        for (place, folder) in order.enumerated() {
            for target in graph.targets(of: folder) where !order[..<place].contains(target) {
                let uses = graph.uses(folder, target).map(\.text).joined(separator: "\n")
                Issue.record("\(module)/\(folder) -> \(target)\n\(uses)")
            }
        }
    }

    @Test(arguments: modules)
    func `a folder has at most thirty files`(of module: String) throws {
        for (folder, count) in try Self.graph(module).folders {
            let name = folder.isEmpty ? module : "\(module)/\(folder)"
            #expect(count <= Layers.filesOfFolder, "\(name)")
        }
    }

    // MARK: The picture

    @Test
    func `Folders.md shows every folder, and exactly what it uses`() throws {
        let names = PackageManifest.targets.map(\.name)
        let table = LayerTable(
            PackageSources.all, PackageSources.graphs,
            modules: Layers.systemModules.union(names))
        var document = try String(contentsOf: LayerTable.file, encoding: .utf8)
            .components(separatedBy: "\n")
        if ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] == "1" {
            document = table.written(into: document)
            try document.joined(separator: "\n")
                .write(to: LayerTable.file, atomically: true, encoding: .utf8)
        }
        let shown = LayerTable.shown(in: document)
        let rows = table.rows
        for row in rows where !shown.contains(row) {
            Issue.record("Missing: | \(row.line) | `\(row.name)` | \(row.uses) |")
        }
        for row in shown where !rows.contains(row) {
            Issue.record("Not so: | \(row.line) | `\(row.name)` | \(row.uses) |")
        }
        #expect(shown == rows.filter(shown.contains), "The lines are not in order.")
        for (name, text) in LayerTable.descriptions(in: document) {
            #expect(text.count > 1, "\(name) is not described.")
        }
    }
}
