import Foundation
import FoundationNetworking
import SessionEra
import SessionTasks

@MainActor
final class StoppedDownload {
    let manager = URLSessionManager()
    var task: SessionDownloadTask?
    var resumeData: Data?

    // snippet: begin
    func start(_ url: URL, to file: URL, completion: @escaping @Sendable (Bool) -> Void) {
        let task =
            if let resumeData {
                manager.downloadTask(
                    withResumeData: resumeData, destination: { _, _ in file },
                    completionHandler: { _, _, error in completion(error == nil) })
            } else {
                manager.downloadTask(
                    with: URLRequest(url: url), destination: { _, _ in file },
                    completionHandler: { _, _, error in completion(error == nil) })
            }
        self.task = task
        task.resume()
    }

    func stop() {
        task?.cancel { data in
            Task { @MainActor in self.resumeData = data }
        }
    }
    // snippet: end
}
