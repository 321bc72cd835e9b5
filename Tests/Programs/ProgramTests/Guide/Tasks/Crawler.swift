import Foundation
import FoundationNetworking
import OperationNetworking

struct Crawler {
    let manager = HTTPRequestOperationManager()

    func begin(_ pages: [String], done: @escaping @Sendable (String) -> Void) {
        // snippet: begin
        manager.operationQueue.maxConcurrentOperationCount = 3
        manager.responseSerializer = HTTPResponseSerializer()
        for page in pages {
            manager.get(page) { _, _ in
                done(page)
            } failure: { _, error in
                done(
                    "\(page): \((error as? URLError)?.code == .cancelled ? "cancelled" : "failed")")
            }
        }
        // snippet: end
    }

    func stop() {
        // snippet: begin
        manager.operationQueue.cancelAllOperations()
        // snippet: end
    }
}
