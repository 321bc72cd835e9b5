import Alamofire
import Foundation

class ResumingDownload {
    private var resumeData: Data?
    private(set) var request: DownloadRequest?

    func fetch(_ url: String, completion: @escaping (Data?) -> Void) {
        let download =
            resumeData.map { Alamofire.download(resumingWith: $0) }
            ?? Alamofire.download(url)
        request = download.responseData { response in
            self.resumeData = response.resumeData
            completion(response.result.value)
        }
    }

    func stop() {
        request?.cancel()
    }
}
