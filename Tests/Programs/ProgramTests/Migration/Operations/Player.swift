import Foundation
import FoundationNetworking
import OperationNetworking

struct Player {
    let operation: HTTPRequestOperation

    // snippet: begin
    init(url: URL, received: @escaping @Sendable (Int64) -> Void) {
        operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.setDownloadProgressBlock { _, total, _ in received(total) }
    }

    func toggle() {
        if operation.isPaused {
            operation.resume()
        } else {
            operation.pause()
        }
    }
    // snippet: end
}
