import Foundation
import FoundationNetworking
import OperationNetworking

func impatient(
    _ url: URL, _ completion: @escaping @Sendable (URLError.Code?) -> Void
) -> HTTPRequestOperation {
    // snippet: begin
    // Two seconds without a byte, ten seconds in all.
    let request = URLRequest(url: url, timeoutInterval: 2)
    let operation = HTTPRequestOperation(request: request)
    operation.timeoutIntervalForResource = 10
    operation.setCompletionBlock { _, _ in
        completion(nil)
    } failure: { _, error in
        completion((error as? URLError)?.code)
    }
    // snippet: end
    return operation
}
