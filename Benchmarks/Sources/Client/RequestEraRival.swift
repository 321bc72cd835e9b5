import Foundation
import FoundationNetworking
import RequestEra

/// `SessionManager.request(…).responseData`: the request era on URLConnection.
final class RequestEraRival: Rival, @unchecked Sendable {
    // @unchecked because everything is set once, and the manager is safe from any thread.
    private let manager: SessionManager
    private let request: URLRequest
    private let isJSON: Bool
    private let queue = DispatchQueue(label: "completion")

    init(_ assignment: Assignment) {
        manager = SessionManager(configuration: assignment.sessionConfiguration)
        request = URLRequest(url: assignment.url)
        isJSON = assignment.isJSON
    }

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        let request = manager.request(request).validate()
        if isJSON {
            request.responseJSON(queue: queue) { response in
                ended(
                    Reply(
                        isGood: response.result.isSuccess, byteCount: response.data?.count ?? 0,
                        body: response.data, object: response.result.value))
            }
        } else {
            request.responseData(queue: queue) { response in
                ended(
                    Reply(
                        isGood: response.result.isSuccess,
                        byteCount: response.result.value?.count ?? 0))
            }
        }
    }

    func cancelAll() {}

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }
}
