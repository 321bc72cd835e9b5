import Foundation
import FoundationNetworking
import RequestEra

struct PictureDownload {
    let folder: URL

    // snippet: begin
    func fetch(
        _ url: String, progress: @escaping @Sendable (Double) -> Void,
        completion: @escaping @Sendable (String?) -> Void
    ) {
        let destination: DownloadRequest.DownloadFileDestination = { [folder] _, response in
            let name = response.url?.lastPathComponent ?? "picture"
            return (
                folder.appending(path: "pictures/\(name)"),
                [.createIntermediateDirectories, .removePreviousFile]
            )
        }

        SessionManager.default.download(url, to: destination)
            .downloadProgress { progress($0.fractionCompleted) }
            .response { response in
                completion(response.error == nil ? response.destinationURL?.path() : nil)
            }
    }
    // snippet: end
}
