// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

class EpisodeSync {
    let queue = OperationQueue()
    var steps: [String] = []

    func run(_ list: URL, _ episodes: [URL], completion: @escaping (Int) -> Void) {
        // snippet: begin
        let first = AFHTTPRequestOperation(request: URLRequest(url: list))
        var operations: [AFHTTPRequestOperation] = []
        for episode in episodes {
            let operation = AFHTTPRequestOperation(request: URLRequest(url: episode))
            operation.addDependency(first)
            operations.append(operation)
        }
        let batch = AFURLConnectionOperation.batch(
            ofRequestOperations: operations,
            progressBlock: { (finished: UInt, total: UInt) in
                self.steps.append("\(finished) of \(total)")
            },
            completionBlock: { operations in
                completion(operations.count)
            })
        queue.addOperation(first)
        queue.addOperations(batch as! [Operation], waitUntilFinished: false)
        // snippet: end
    }
}
