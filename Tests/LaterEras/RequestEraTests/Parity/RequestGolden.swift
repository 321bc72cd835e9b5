import Foundation
import ParitySupport

/// What Alamofire 4.9.1 did, recorded while it ran: of the folder that `GOLDEN_DIR` names, or of
/// this package.
enum RequestGolden {
    /// - Parameter name: without `request-` and `.json`.
    static func cases(_ name: String) throws -> [RecordedCase] {
        try elsewhere.flatMap { try read(name, in: $0) } ?? own(name)
    }

    /// The package's own file.
    static func own(_ name: String) throws -> [RecordedCase] {
        let folder = Bundle.module.resourceURL?.appendingPathComponent("Golden")
        guard let cases = try folder.flatMap({ try read(name, in: $0) }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return cases
    }

    /// Nil where the folder has no such file.
    private static func read(_ name: String, in folder: URL) throws -> [RecordedCase]? {
        let file = folder.appendingPathComponent("request-\(name).json")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        // Foundation's reader drops a byte order mark at the start of a text.
        let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
            .replacingOccurrences(of: "\u{FEFF}", with: "\\ufeff")
        return try GoldenValue(json: Data(text.utf8)).elements.map(RecordedCase.init)
    }

    static var areFromElsewhere: Bool { elsewhere != nil }

    private static let elsewhere = ProcessInfo.processInfo.environment["GOLDEN_DIR"].flatMap {
        $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true)
    }
}
