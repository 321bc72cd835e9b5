import Foundation
import FoundationNetworking
import OperationNetworking
import SessionEra
import SessionTasks

func readRefusal(_ url: String, completion: @escaping @Sendable (Int, String) -> Void) {
    let manager = HTTPSessionManager()
    // snippet: begin
    manager.get(
        url, success: nil,
        failure: { task, error in
            let data = (error as? ResponseSerializationError)?.data ?? Data()
            let response = task?.response as? HTTPURLResponse
            completion(response?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
        })
    // snippet: end
}
