// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

class NotesStore: NSObject {
    var lastStatus = 0
    fileprivate let manager: AFHTTPRequestOperationManager

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.responseSerializer = AFHTTPResponseSerializer()
    }

    func exists(_ id: Int, done: @escaping (Bool) -> Void) {
        manager.head(
            "notes/\(id)", parameters: nil,
            success: { (operation: AFHTTPRequestOperation) in
                self.lastStatus = operation.response!.statusCode
                done(true)
            },
            failure: { (operation: AFHTTPRequestOperation?, error: Error) in
                done(false)
            })
    }

    func replace(_ id: Int, text: String, done: @escaping () -> Void) {
        manager.put(
            "notes/\(id)", parameters: ["text": text], success: { _, _ in done() },
            failure: { _, _ in done() })
    }

    func rename(_ id: Int, title: String, done: @escaping () -> Void) {
        manager.patch(
            "notes/\(id)", parameters: ["title": title], success: { _, _ in done() },
            failure: { _, _ in done() })
    }

    func remove(_ id: Int, done: @escaping () -> Void) {
        manager.delete(
            "notes/\(id)", parameters: ["hard": true], success: { _, _ in done() },
            failure: { _, _ in done() })
    }
}
