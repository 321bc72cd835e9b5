import HTTPSemantics
import TestSupport

@testable import OperationNetworking
@testable import eras

extension TestWorld {
    var directory: String { folder.path }

    /// Fetches paths of the server, or whole URLs, as the command would.
    func fetch(
        _ paths: String..., settings: Fetcher.Settings = .quick,
        during: (@Sendable (Fetcher) async -> Void)? = nil
    ) async -> [FetchResult] {
        let urls = paths.map { $0.hasPrefix("/") ? server.url($0).absoluteString : $0 }
        let items = DownloadItem.list(urls, directory: directory)
        return await withCheckedContinuation { continuation in
            let fetcher = Fetcher(items, settings: settings) { continuation.resume(returning: $0) }
            fetcher.start()
            if let during {
                Task { await during(fetcher) }
            }
        }
    }

    /// Lays down what an interrupted download of a path would have left.
    func leavePart(
        _ bytes: Data, as name: String, of path: String, validator: String, length: Int64 = 1_000
    ) throws {
        let place = DownloadPlace(path: "\(directory)/\(name)")
        try bytes.write(to: URL(fileURLWithPath: place.part))
        try DownloadRecord(
            address: server.url(path).absoluteString, validator: validator, length: length,
            offset: Int64(bytes.count), sha256: hash(bytes)
        ).write(place)
    }

    /// A route `/gated` of 1000 bytes, seed 9, that stops at the gate "middle" after 600.
    func addGated() {
        server.add("/gated") { request in
            let whole = ScriptedResponse.generatedFile(seed: 9, length: 1_000, request: request)
            guard request.headers["Range"] == nil else { return whole }
            return ScriptedResponse(
                whole.steps.dropLast() + [
                    .generated(seed: 9, range: 0..<600), .wait(gate: "middle"),
                    .generated(seed: 9, range: 600..<1_000),
                ])
        }
        server.hold("middle")
    }
}

/// The generated pictures.
extension TestWorld {
    static func gallery() throws -> TestWorld {
        var routes = Routes.served
        try ServedPictures(scheme: "http").add(to: &routes)
        return TestWorld(routes: routes)
    }

    /// The address of a picture.
    func picture(_ name: String) -> String { address(ServedPictures.folder + name) }

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

    func names(in folder: String) -> [String] {
        let path = file(folder).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

extension Fetcher.Settings {
    /// No pause worth waiting for.
    static let quick = Fetcher.Settings(retryDelay: 0.001)
}
