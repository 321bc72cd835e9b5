import Foundation
import OperationNetworking

func largeFile(_ server: URL, to file: URL, sha256: String) async throws -> DownloadedFile {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: server)
    var options = DownloadOptions(expectedSHA256: sha256)
    // For a server that limits each connection: up to four ranges of the file come at once.
    options.segments = 4
    options.retryPolicy?.maximumAttempts = 10
    let whole = try await manager.download("model.bin", to: file, options: options)
    // snippet: end
    return whole
}
