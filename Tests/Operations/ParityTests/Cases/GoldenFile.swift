import Foundation
import ParitySupport

/// The recorded cases of one file: of the folder that `GOLDEN_DIR` names, or of this package.
struct GoldenFile: Sendable {
    let name: String
    let cases: [RecordedCase]

    /// - Parameter name: without `.json`.
    init(_ name: String) throws {
        self.name = name
        guard let bytes = try Self.folders.lazy.compactMap({ try Self.bytes(name, in: $0) }).first
        else { throw CocoaError(.fileNoSuchFile) }
        cases = try Self.cases(bytes)
    }

    /// Every case at hand by that file name: those of the folder that `GOLDEN_DIR` names, then the
    /// package's that it does not have.
    static func known(_ name: String) -> [RecordedCase] { everything[name] ?? [] }

    private static let everything: [String: [RecordedCase]] = {
        var everything: [String: [RecordedCase]] = [:]
        for name in names {
            for folder in folders {
                guard let bytes = try? bytes(name, in: folder), let cases = try? cases(bytes) else {
                    continue
                }
                let ids = Set(everything[name, default: []].map(\.id))
                everything[name, default: []] += cases.filter { !ids.contains($0.id) }
            }
        }
        return everything
    }()

    /// The files of the connection era.
    static let names = [
        "base-url", "errors", "json-plist-requests", GoldenCase.file, "multipart",
        "query-strings", "response-serialization",
    ]

    /// The package's own file.
    static func own(_ name: String) throws -> [RecordedCase] {
        guard let bytes = try folders.last.flatMap({ try bytes(name, in: $0) }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try cases(bytes)
    }

    private static func cases(_ bytes: Data) throws -> [RecordedCase] {
        try GoldenValue(json: bytes).elements.map(RecordedCase.init)
    }

    /// Nil where the folder has no such file.
    private static func bytes(_ name: String, in folder: URL) throws -> Data? {
        let file = folder.appendingPathComponent(name + ".json")
        return FileManager.default.fileExists(atPath: file.path)
            ? try Data(contentsOf: file) : nil
    }

    private static var folders: [URL] {
        let elsewhere = ProcessInfo.processInfo.environment["GOLDEN_DIR"]
            .flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true) }
        let own = Bundle.module.resourceURL?.appendingPathComponent("Golden")
        return [elsewhere, own].compactMap(\.self)
    }
}
