import Alamofire
import Foundation

class PictureDownload {
    let folder: URL
    var fractions: [Double] = []

    init(folder: URL) {
        self.folder = folder
    }

    // snippet: begin
    func fetch(_ url: String, completion: @escaping (String?) -> Void) {
        let folder = self.folder
        let destination: DownloadRequest.DownloadFileDestination = { _, response in
            let name = response.url?.lastPathComponent ?? "picture"
            return (
                folder.appendingPathComponent("pictures/\(name)"),
                [.createIntermediateDirectories, .removePreviousFile]
            )
        }

        Alamofire.download(url, to: destination)
            .downloadProgress { progress in
                self.fractions.append(progress.fractionCompleted)
            }
            .response { response in
                completion(response.error == nil ? response.destinationURL?.path : nil)
            }
    }
    // snippet: end

    func size(_ url: String, completion: @escaping (Int?) -> Void) {
        let utilityQueue = DispatchQueue.global(qos: .utility)
        Alamofire.download(url)
            .downloadProgress(queue: utilityQueue) { progress in
                print("Download Progress: \(progress.fractionCompleted)")
            }
            .responseData { response in
                if let data = response.result.value {
                    completion(data.count)
                } else {
                    completion(nil)
                }
            }
    }

    func fetchBySuggestedName(_ url: String, completion: @escaping (URL?) -> Void) {
        let destination = DownloadRequest.suggestedDownloadDestination(
            for: .cachesDirectory, in: .userDomainMask)
        Alamofire.download(url, to: destination).response { completion($0.destinationURL) }
    }
}
