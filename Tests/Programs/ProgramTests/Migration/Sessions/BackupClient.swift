import Foundation
import FoundationNetworking
import SessionEra
import SessionTasks

struct BackupClient {
    let manager = URLSessionManager()

    // snippet: begin
    func store(_ file: URL, at url: URL, completion: @escaping @Sendable (Int?) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let task = manager.uploadTask(with: request, fromFile: file) { response, _, _ in
            completion((response as? HTTPURLResponse)?.statusCode)
        }
        task.resume()
    }
    // snippet: end
}
