import HTTPSemantics
import TestSupport

@testable import OperationNetworking

extension TestWorld {
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
