// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

class PhotoUploader {
    let manager: AFHTTPRequestOperationManager

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
    }

    // snippet: begin
    func upload(photo: Data, thumbnail: URL, title: String, completion: @escaping (Error?) -> Void)
    {
        manager.post(
            "photos", parameters: ["title": title],
            constructingBodyWith: { (formData: AFMultipartFormData) in
                formData.appendPart(
                    withFileData: photo, name: "photo", fileName: "photo.jpg",
                    mimeType: "image/jpeg")
                try? formData.appendPart(withFileURL: thumbnail, name: "thumbnail")
                formData.appendPart(withForm: "public".data(using: .utf8)!, name: "visibility")
            },
            success: { (operation, responseObject) in
                completion(nil)
            },
            failure: { (operation, error) in
                completion(error)
            })
    }
    // snippet: end
}
