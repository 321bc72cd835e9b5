import Foundation
import OperationNetworking

func wholeFile(_ server: URL, _ file: URL, _ sha256: String) async throws -> String {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: server)
    var options = DownloadOptions(expectedSHA256: sha256)
    options.retryPolicy?.maximumAttempts = 10
    let whole = try await manager.download("image.iso", to: file, options: options)
    let text = "\(whole.length) bytes, from \(whole.resumedFrom) on"
    // snippet: end
    return text
}
