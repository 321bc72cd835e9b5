import TestSupport

/// The package's own sources, as text.
enum PackageSources {
    struct File: Sendable {
        /// From the module's folder on, for example `CurlConnection/Curl/CurlCode.swift`.
        let path: String
        let lines: [String]
        let text: SourceText

        init(path: String, text: String) {
            self.path = path
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            self.text = SourceText(text)
        }

        /// The first folder of the path.
        var module: String { String(path.prefix { $0 != "/" }) }

        /// The path without the file's name.
        var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

        /// The folder without the module's name; empty for the module's own folder.
        var folderInModule: String { String(folder.dropFirst(module.count + 1)) }

        var imports: Set<String> { PackageSources.imports(in: text) }
    }

    /// The package's folder.
    static let root = packageFolder

    /// The files of `Sources`.
    static let all = files(in: "Sources")

    /// The files of each module of `Sources`.
    static let modules = Dictionary(grouping: all, by: \.module)

    /// The graph of folders of each module.
    static let graphs: [String: FolderGraph] = modules.reduce(into: [:]) { result, module in
        result[module.key] = FolderGraph(
            module: module.key, files: module.value, common: Layers.commonMembers)
    }

    /// What the files of a folder import.
    static func imports(in folder: String) -> Set<String> {
        texts(in: folder).reduce(into: []) { $0.formUnion(imports(in: SourceText($1.text))) }
    }

    private static func imports(in text: SourceText) -> Set<String> {
        let pairs = zip(text.words, text.words.dropFirst())
        return Set(pairs.filter { $0.text == "import" && $0.line == $1.line }.map(\.1.text))
    }

    private static func files(in folder: String) -> [File] {
        texts(in: folder).map { text in
            // Without the group.
            let path = text.path.drop { $0 != "/" }.dropFirst()
            return File(path: String(path), text: text.text)
        }
    }

    /// The Swift files below a folder of the package, with their paths from there.
    static func texts(in folder: String) -> [(path: String, text: String)] {
        let folder = root.appendingPathComponent(folder).path
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (paths ?? []).filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            let text = try? String(contentsOfFile: folder + "/" + path, encoding: .utf8)
            return text.map { (path, $0) }
        }
    }
}
