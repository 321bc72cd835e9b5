// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

class BatchRunner {
    let queue = OperationQueue()
    var steps: [String] = []

    func run(_ urls: [URL], completion: @escaping (Int) -> Void) {
        // snippet: begin
        var operations: [AFHTTPRequestOperation] = []
        for url in urls {
            operations.append(AFHTTPRequestOperation(request: URLRequest(url: url)))
        }
        let batch = AFURLConnectionOperation.batch(
            ofRequestOperations: operations,
            progressBlock: { (finished: UInt, total: UInt) in
                self.steps.append("\(finished) of \(total)")
            },
            completionBlock: { operations in
                let good = (operations as! [AFHTTPRequestOperation]).filter {
                    $0.response?.statusCode == 200
                }
                completion(good.count)
            })
        queue.addOperations(batch as! [Operation], waitUntilFinished: false)
        // snippet: end
    }
}
