import Foundation
import OperationNetworking
import RequestEra

func film(_ url: URL, meter: @escaping @Sendable (Double) -> Void) async throws -> Data {
    // snippet: begin
    let request = SessionManager.default.request(url)
    let film = request.serializingData()
    // Operations and session tasks have it too, and uploadProgress(). A slow loop gets only the
    // newest value. The loop ends with the request, or when that is cancelled.
    for await progress in request.downloadProgress() {
        guard let total = progress.total else { continue }
        meter(Double(progress.completed) / Double(total))
    }
    let data = try await film.value
    // snippet: end
    return data
}
