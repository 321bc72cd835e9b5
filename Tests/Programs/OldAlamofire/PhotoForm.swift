// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import Alamofire
import Foundation

class PhotoForm {
    // snippet: begin
    func send(
        photo: Data, thumbnail: URL, title: String, to url: String,
        completion: @escaping (Any?, Error?) -> Void
    ) {
        Alamofire.upload(
            multipartFormData: { multipartFormData in
                multipartFormData.append(title.data(using: .utf8)!, withName: "title")
                multipartFormData.append(
                    photo, withName: "photo", fileName: "photo.jpg", mimeType: "image/jpeg")
                multipartFormData.append(thumbnail, withName: "thumbnail")
            },
            to: url,
            encodingCompletion: { encodingResult in
                switch encodingResult {
                case .success(let upload, _, _):
                    upload.responseJSON { response in
                        debugPrint(response)
                        completion(response.result.value, response.result.error)
                    }
                case .failure(let encodingError):
                    completion(nil, encodingError)
                }
            }
        )
    }
    // snippet: end

    func sendFromDisk(_ data: Data, to url: URL, completion: @escaping (Bool, URL?) -> Void) {
        Alamofire.upload(
            multipartFormData: { $0.append(data, withName: "file", mimeType: "text/plain") },
            usingThreshold: 10, with: try! URLRequest(url: url, method: .post),
            encodingCompletion: { result in
                if case let .success(request, streamingFromDisk, streamFileURL) = result {
                    request.uploadProgress { print($0.fractionCompleted) }
                    request.response { _ in completion(streamingFromDisk, streamFileURL) }
                }
            })
    }
}
