import Foundation

/// One recorded case: what went into the original, and what came out.
struct RecordedCase: Decodable, Sendable {
    let id: String
    let input: GoldenValue
    let output: GoldenValue
    let authority: String
    let note: String

    /// Decided beneath the original, by the Foundation it ran on.
    var isFoundations: Bool { authority == "foundation" }
}

/// The recorded cases of one file: of the folder that `GOLDEN_DIR` names, or of this package.
struct GoldenFile: Sendable {
    let name: String
    let cases: [RecordedCase]

    /// - Parameter name: without `.json`.
    init(_ name: String) throws {
        self.name = name
        cases = try JSONDecoder().decode([RecordedCase].self, from: Self.bytes(of: name))
    }

    /// The bytes of a file of recordings: of the folder that `GOLDEN_DIR` names where it has the
    /// file, else of this package.
    static func bytes(of name: String) throws -> Data {
        let folders = [elsewhere, Bundle.module.resourceURL?.appendingPathComponent("Golden")]
        for folder in folders.compactMap(\.self) {
            let file = folder.appendingPathComponent(name + ".json")
            if FileManager.default.fileExists(atPath: file.path) {
                return try Data(contentsOf: file)
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    private static var elsewhere: URL? {
        ProcessInfo.processInfo.environment["GOLDEN_DIR"]
            .flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true) }
    }
}
