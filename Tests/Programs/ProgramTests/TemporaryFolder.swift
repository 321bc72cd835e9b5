import Foundation
import Testing

/// A folder of its own for a test, gone with it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("program-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            Issue.record(error)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func url(_ name: String) -> URL { url.appendingPathComponent(name) }
    func path(_ name: String) -> String { url(name).path }
}
