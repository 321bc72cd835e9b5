// swift-format-ignore-file: NeverForceUnwrap
import Foundation

/// Written where a bridging header brought AFNetworking, and Foundation had URLRequest.
class AvatarLoader {
    let session = URLSession.shared

    func load(_ path: String, from base: URL, completion: @escaping (String?) -> Void) {
        var request = URLRequest(url: URL(string: path, relativeTo: base)!)
        request.setValue("1", forHTTPHeaderField: "X-Avatar")
        let operation = AFHTTPRequestOperation(request: request)
        operation.setCompletionBlockWithSuccess(
            { operation, _ in completion(operation.responseString) },
            failure: { _, _ in completion(nil) })
        operation.start()
    }
}
