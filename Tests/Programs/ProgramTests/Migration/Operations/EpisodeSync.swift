import Foundation
import FoundationNetworking
import OperationNetworking

struct EpisodeSync {
    let manager = OperationManager()

    func run(
        _ list: URL, _ episodes: [URL], step: @escaping @Sendable (String) -> Void,
        completion: @escaping @Sendable (Int) -> Void
    ) {
        // snippet: begin
        let first = HTTPRequestOperation(request: URLRequest(url: list))
        let operations = episodes.map { HTTPRequestOperation(request: URLRequest(url: $0)) }
        for operation in operations { operation.addDependency(first) }
        manager.enqueue(first)
        manager.enqueue(batch: operations) { finished, total in
            step("\(finished) of \(total)")
        } completion: { operations in
            completion(operations.count)
        }
        // snippet: end
    }
}
