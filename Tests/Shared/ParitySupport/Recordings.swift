package import Foundation

/// The recorded cases of files: of the folder that `GOLDEN_DIR` names, and of a test target, or
/// given as texts.
package struct Recordings: Sendable {
    /// Without `.json`.
    package let names: [String]
    private let own: [String: [RecordedCase]]
    private let elsewhere: [String: [RecordedCase]]

    /// - Parameters:
    ///   - prefix: what the names of the files begin with.
    ///   - texts: what the target has not as a file, by name.
    package init(
        _ names: [String], in bundle: Bundle, prefix: String = "", texts: [String: String] = [:]
    ) {
        func cases(in folder: URL?) -> [String: [RecordedCase]] {
            let cases = names.compactMap { name -> (String, [RecordedCase])? in
                let file = folder?.appendingPathComponent(prefix + name + ".json")
                return file.flatMap(Self.cases).map { (name, $0) }
            }
            return Dictionary(uniqueKeysWithValues: cases)
        }
        self.names = names
        own = cases(in: bundle.resourceURL?.appendingPathComponent("Golden"))
            .merging(texts.compactMapValues { Self.cases(Data($0.utf8)) }) { $1 }
        elsewhere = cases(in: Self.folder)
    }

    private static func cases(_ file: URL) -> [RecordedCase]? {
        (try? Data(contentsOf: file)).flatMap(cases)
    }

    private static func cases(_ bytes: Data) -> [RecordedCase]? {
        // Foundation's reader drops a byte order mark at the start of a text.
        let text = String(decoding: bytes, as: UTF8.self)
            .replacingOccurrences(of: "\u{FEFF}", with: "\\ufeff")
        return try? GoldenValue(json: Data(text.utf8)).elements.map(RecordedCase.init)
    }

    private static let folder = ProcessInfo.processInfo.environment["GOLDEN_DIR"].flatMap {
        $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true)
    }

    /// Whether there are cases that are not the package's.
    package static var areFromElsewhere: Bool { folder != nil }

    /// The cases to be compared.
    ///
    /// - Throws: if there is no such file.
    package func cases(_ name: String) throws -> [RecordedCase] {
        try elsewhere[name] ?? own(name)
    }

    /// The package's own.
    ///
    /// - Throws: if there is no such file.
    package func own(_ name: String) throws -> [RecordedCase] {
        guard let cases = own[name] else { throw CocoaError(.fileNoSuchFile) }
        return cases
    }

    /// Every case at hand: those from elsewhere, then the package's that are not among them.
    package func known(_ name: String) -> [RecordedCase] {
        let others = elsewhere[name] ?? []
        let ids = Set(others.map(\.id))
        return others + (own[name] ?? []).filter { !ids.contains($0.id) }
    }
}
