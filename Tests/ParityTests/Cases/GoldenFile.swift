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

    /// The bytes of a file of recordings.
    static func bytes(of name: String) throws -> Data {
        try Data(contentsOf: folder().appendingPathComponent(name + ".json"))
    }

    private static func folder() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["GOLDEN_DIR"], !path.isEmpty {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        guard let folder = Bundle.module.resourceURL?.appendingPathComponent("Golden") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return folder
    }
}
