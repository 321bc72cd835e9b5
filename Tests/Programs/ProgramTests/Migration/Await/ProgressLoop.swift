import Foundation
import OperationNetworking
import RequestEra

func film(_ url: URL, meter: @escaping @Sendable (Double) -> Void) async throws -> Data {
    // snippet: begin
    let request = SessionManager.default.request(url)
    let film = request.serializingData()
    // Operations and session tasks have downloadProgress() and uploadProgress() too. The loop
    // ends when the request has ended or is cancelled.
    for await progress in request.downloadProgress() {
        guard let total = progress.total else { continue }
        meter(Double(progress.completed) / Double(total))
    }
    let data = try await film.value
    // snippet: end
    return data
}
