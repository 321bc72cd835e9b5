import Foundation
import OperationNetworking
import RequestEra

func film(_ url: URL, meter: @escaping @Sendable (Double) -> Void) async throws -> Data {
    // snippet: begin
    let request = SessionManager.default.request(url)
    let film = request.serializingData()
    // Of an operation and of a session's task by the same name, and uploadProgress() besides. A
    // slow loop gets the newest alone; it ends with the request, or when that is cancelled.
    for await progress in request.downloadProgress() {
        guard let total = progress.total else { continue }
        meter(Double(progress.completed) / Double(total))
    }
    let data = try await film.value
    // snippet: end
    return data
}
