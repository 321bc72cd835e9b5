import Foundation
import FoundationNetworking
import OperationNetworking

func upload(
    _ file: URL, to url: URL, completion: @escaping @Sendable ((any Error)?) -> Void
) throws {
    // snippet: begin
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    request.setValue("\(size)", forHTTPHeaderField: "Content-Length")
    let operation = HTTPRequestOperation(request: request)
    operation.inputStream = InputStream(url: file)
    operation.setCompletionBlock { _, _ in
        completion(nil)
    } failure: { _, error in
        completion(error)
    }
    operation.start()
    // snippet: end
}
