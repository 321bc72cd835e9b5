import HTTPSemantics
import TestSupport

@testable import OperationNetworking
@testable import eras

/// A server and a folder for one test; both are gone with it.
final class FetchRoom: Sendable {
    let server = LoopbackServer()
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("eras-tests-\(UUID().uuidString)").path

    init() throws {
        try server.start()
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

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

    /// The names in the folder, sorted.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    func contents(_ name: String) -> Data? {
        FileManager.default.contents(atPath: "\(directory)/\(name)")
    }

    /// The `Range` fields in the server's log, in order; "-" for a request without one.
    var ranges: [String] {
        server.requests.map { $0.headers["Range"] ?? "-" }
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

extension Fetcher.Settings {
    /// No pause worth waiting for.
    static let quick = Fetcher.Settings(retryDelay: 0.001)
}

/// The bytes the server makes of a seed.
func generated(_ seed: UInt64, _ count: Int64 = 1_000) -> Data {
    GeneratedBytes.bytes(seed: seed, range: 0..<count)
}

/// The SHA-256 of the bytes.
func hash(_ data: Data) throws -> String {
    let hash = try SHA256()
    data.withUnsafeBytes { hash.update($0) }
    return try hash.digest()
}
