import Foundation
import FoundationNetworking
import SessionEra
import SessionTasks

func expand(
    _ url: URL, with manager: URLSessionManager,
    completion: @escaping @Sendable (String?) -> Void
) {
    // snippet: begin
    manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, _ in
        nil  // the redirect is the response
    }
    let task = manager.dataTask(with: URLRequest(url: url)) { response, _, _ in
        completion((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Location"))
    }
    task.resume()
    // snippet: end
}
