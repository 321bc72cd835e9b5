import Foundation
import FoundationNetworking
import OperationNetworking

struct BatchRunner {
    let manager = OperationManager()

    func run(
        _ urls: [URL], step: @escaping @Sendable (String) -> Void,
        completion: @escaping @Sendable (Int) -> Void
    ) {
        // snippet: begin
        let operations = urls.map { HTTPRequestOperation(request: URLRequest(url: $0)) }
        manager.enqueue(batch: operations) { finished, total in
            step("\(finished) of \(total)")
        } completion: { _ in
            completion(operations.count { $0.response?.statusCode == 200 })
        }
        // snippet: end
    }
}
