import Foundation
import FoundationNetworking
import SessionEra
import SessionTasks

struct EpisodeLoader {
    let manager = URLSessionManager()

    // snippet: begin
    func load(
        _ url: URL, into folder: URL, progress: @escaping @Sendable (Double) -> Void,
        completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        let task = manager.downloadTask(
            with: URLRequest(url: url), progress: { progress($0.fractionCompleted) },
            destination: { _, response in
                folder.appendingPathComponent(response.suggestedFilename ?? "file")
            },
            completionHandler: { _, file, error in completion(file, error) })
        task.resume()
    }
    // snippet: end
}
