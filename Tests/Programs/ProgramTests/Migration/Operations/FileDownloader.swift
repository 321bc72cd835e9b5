import Foundation
import FoundationNetworking
import OperationNetworking

func download(
    _ url: URL, to path: String, progress: @escaping @Sendable (Double) -> Void,
    completion: @escaping @Sendable ((any Error)?) -> Void
) {
    // snippet: begin
    let operation = HTTPRequestOperation(request: URLRequest(url: url))
    operation.outputStream = OutputStream(toFileAtPath: path, append: false)
    operation.setDownloadProgressBlock { _, total, expected in
        if expected > 0 { progress(Double(total) / Double(expected)) }
    }
    operation.setCompletionBlock { _, _ in
        completion(nil)
    } failure: { _, error in
        completion(error)
    }
    operation.start()
    // snippet: end
}
