import HTTPSemantics
import TestSupport

@testable import OperationNetworking

/// A server, a folder and a manager for one test; all are gone with it.
final class DownloadRoom: Sendable {
    let server = LoopbackServer()
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("downloads-\(UUID().uuidString)", isDirectory: true)

    init() throws {
        try server.start()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func contents(_ name: String) -> Data? {
        FileManager.default.contents(atPath: file(name).path)
    }

    /// The names in the folder, sorted.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// The `Range` fields in the server's log, in order; "-" for a request without one.
    var ranges: [String] { server.requests.map { $0.headers["Range"] ?? "-" } }

    func request(_ path: String) -> URLRequest { URLRequest(url: server.url(path)) }

    /// Downloads by a manager of its own, as a new process would.
    func download(
        _ path: String, as name: String, _ options: DownloadOptions = .once
    ) async throws -> DownloadedFile {
        try await OperationManager().download(request(path), to: file(name), options: options)
    }

    /// The error of a download that must fail.
    func failure(
        _ path: String, as name: String, _ options: DownloadOptions = .once
    ) async -> (any Error)? {
        do {
            _ = try await download(path, as: name, options)
            return nil
        } catch {
            return error
        }
    }

    /// Lays down what an earlier download would have left.
    func leave(
        _ part: Data, of path: String, as name: String, validator: String = "\"g3-1000\"",
        length: Int64 = 1_000, sha256: String? = nil
    ) throws {
        let place = DownloadPlace(path: file(name).path)
        try part.write(to: URL(fileURLWithPath: place.part))
        try DownloadRecord(
            address: server.url(path).absoluteString, validator: validator, length: length,
            offset: Int64(part.count), sha256: sha256 ?? hash(part)
        ).write(place)
    }
}

extension DownloadOptions {
    /// One try.
    static var once: DownloadOptions {
        var options = DownloadOptions()
        options.retryPolicy = nil
        return options
    }

    /// So many tries, at once.
    static func tries(_ count: Int) -> DownloadOptions {
        var options = DownloadOptions()
        options.retryPolicy?.maximumAttempts = count
        options.retryPolicy?.delay = 0
        return options
    }

    func expecting(_ sha256: String) -> DownloadOptions {
        var options = self
        options.expectedSHA256 = sha256
        return options
    }
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
