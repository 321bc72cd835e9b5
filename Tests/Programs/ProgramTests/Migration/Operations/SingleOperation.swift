import Foundation
import FoundationNetworking
import OperationNetworking

func loadOnce(
    _ url: URL, _ completion: @escaping @Sendable (sending Any?, (any Error)?) -> Void
) -> HTTPRequestOperation {
    // snippet: begin
    let request = URLRequest(url: url)
    let operation = HTTPRequestOperation(request: request)
    operation.responseSerializer = JSONResponseSerializer()
    operation.setCompletionBlock { _, object in
        completion(object, nil)
    } failure: { _, error in
        completion(nil, error)
    }
    operation.start()
    // snippet: end
    return operation
}
