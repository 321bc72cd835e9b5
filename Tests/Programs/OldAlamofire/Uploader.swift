import Alamofire
import Foundation

class Uploader {
    var fractions: [Double] = []

    // snippet: begin
    func send(_ fileURL: URL, to url: String, completion: @escaping (Any?) -> Void) {
        Alamofire.upload(fileURL, to: url)
            .uploadProgress { progress in  // main queue by default
                self.fractions.append(progress.fractionCompleted)
            }
            .downloadProgress { progress in  // main queue by default
                print("Download Progress: \(progress.fractionCompleted)")
            }
            .responseJSON { response in
                completion(response.result.value)
            }
    }
    // snippet: end

    func send(_ data: Data, to url: String, completion: @escaping (Int?) -> Void) {
        Alamofire.upload(data, to: url, method: .put, headers: ["Content-Type": "text/plain"])
            .validate()
            .responseJSON { completion($0.response?.statusCode) }
    }

    func stream(_ data: Data, to url: URL, completion: @escaping (Int?) -> Void) {
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = "POST"
        urlRequest.setValue("\(data.count)", forHTTPHeaderField: "Content-Length")
        Alamofire.upload(InputStream(data: data), with: urlRequest)
            .response { completion($0.response?.statusCode) }
    }
}
