import Foundation
import FoundationNetworking
import OperationNetworking

func readLenientJSON(_ url: String, _ completion: @escaping @Sendable (sending Any?) -> Void) {
    // snippet: begin
    let manager = HTTPRequestOperationManager()
    manager.responseSerializer = JSONResponseSerializer(readingOptions: .mutableContainers)
    manager.responseSerializer.acceptableContentTypes = ["application/json", "text/html"]
    manager.get(url) { _, object in
        completion(object)
    } failure: { _, _ in
        completion(nil)
    }
    // snippet: end
}
