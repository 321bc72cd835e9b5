import Foundation
import LoopbackServer

@testable import eras

/// A server with the generated pictures, and a folder; both are gone with it.
final class GalleryRoom: Sendable {
    let server: LoopbackServer
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("eras-gallery-\(UUID().uuidString)").path

    init() throws {
        var routes = Routes.served
        try ServedPictures(scheme: "http").add(to: &routes)
        server = LoopbackServer(routes: routes)
        try server.start()
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The address of a picture, or of another path.
    func address(_ name: String) -> String {
        server.url(name.hasPrefix("/") ? name : ServedPictures.folder + name).absoluteString
    }

    /// The results and tiles of some addresses.
    func load(
        _ addresses: [String], settings: GalleryLoader.Settings = .init(),
        during: (@Sendable (GalleryLoader) async -> Void)? = nil
    ) async throws -> (results: [FetchResult], tiles: [GalleryTile]) {
        let items = DownloadItem.list(addresses, directory: ".")
        return try await withCheckedThrowingContinuation { continuation in
            do {
                let loader = try GalleryLoader(items, settings: settings) { results, tiles in
                    continuation.resume(returning: (results, tiles))
                }
                loader.start()
                if let during {
                    Task { await during(loader) }
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    var names: [String] { names(in: "") }

    func names(in folder: String) -> [String] {
        let path = "\(directory)/\(folder)"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func contents(_ name: String) -> Data? {
        FileManager.default.contents(atPath: "\(directory)/\(name)")
    }
}
