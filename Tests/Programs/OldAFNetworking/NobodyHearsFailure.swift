// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

/// Blocks that are nil, in variables of the types that 2.x declared.
func takeBlocksAway(_ operation: AFHTTPRequestOperation) {
    let progress: ((UInt, Int64, Int64) -> Void)? = nil
    let redirect: ((NSURLConnection, URLRequest, URLResponse) -> URLRequest?)? = nil
    operation.setDownloadProgressBlock(progress)
    operation.setRedirectResponseBlock(redirect)
}

/// The last block could always be left out.
class Beacon {
    let manager: AFHTTPRequestOperationManager
    let queue = OperationQueue()

    init(_ base: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: base)
        manager.responseSerializer = AFHTTPResponseSerializer()
    }

    func send(_ name: String, done: @escaping (String) -> Void) {
        manager.get("ok", parameters: ["name": name], success: { _, _ in done("get") })
        manager.post(
            "upload", parameters: nil,
            constructingBodyWith: { form in
                form.appendPart(withForm: name.data(using: .utf8)!, name: "name")
            },
            success: { _, _ in
                done("post")
            })
        let request = URLRequest(url: URL(string: "ok", relativeTo: manager.baseURL)!)
        let first = manager.httpRequestOperation(with: request, success: { _, _ in done("made") })
        let second = AFHTTPRequestOperation(request: request)
        second.setCompletionBlockWithSuccess({ _, _ in done("single") })
        let batch = AFURLConnectionOperation.batch(
            ofRequestOperations: [first, second],
            progressBlock: { _, total in
                done("batch of \(total)")
            })
        queue.addOperations(batch as! [Operation], waitUntilFinished: false)
    }
}
