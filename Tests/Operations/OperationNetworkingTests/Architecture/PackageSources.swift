import TestSupport

/// The package's own sources, as text.
enum PackageSources {
    struct File: Sendable {
        /// From the module's folder on, for example `CurlConnection/Curl/CurlCode.swift`.
        let path: String
        let lines: [String]
        let tokens: [SourceToken]
        /// What it imports, declares and uses.
        let facts: SourceFacts

        init(path: String, text: String) {
            self.path = path
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            tokens = SourceToken.all(in: text)
            facts = SourceParser.facts(of: tokens)
        }

        /// The first folder of the path.
        var module: String { String(path.prefix { $0 != "/" }) }

        /// The path without the file's name.
        var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

        /// The folder without the module's name; empty for the module's own folder.
        var folderInModule: String { String(folder.dropFirst(module.count + 1)) }

        var fileName: String { String(path.split(separator: "/").last ?? "") }
    }

    /// The package's folder.
    static let root = packageFolder

    /// The files of `Sources`.
    static let all = files(in: "Sources")

    /// The files of each module of `Sources`.
    static let modules = Dictionary(grouping: all, by: \.module)

    /// The graph of folders of each module.
    static let graphs: [String: FolderGraph] = modules.reduce(into: [:]) { result, module in
        let sources = module.value.map {
            ModuleIndex.Source(
                path: String($0.path.dropFirst(module.key.count + 1)), facts: $0.facts)
        }
        result[module.key] = FolderGraph(module: module.key, sources: sources)
    }

    /// What the files of a folder import.
    static func imports(in folder: String) -> Set<String> {
        texts(in: folder).reduce(into: []) { imports, source in
            let tokens = SourceToken.all(in: source.text)
            for (token, next) in zip(tokens, tokens.dropFirst())
            where token.text == "import" && token.line == next.line {
                imports.insert(next.text)
            }
        }
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
