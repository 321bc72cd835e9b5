import AFNetworking

class AlbumClient {
    let manager = AFHTTPSessionManager()

    // snippet: begin
    func send(
        _ photo: Data, to url: String, progress: @escaping (Double) -> Void,
        completion: @escaping (Bool) -> Void
    ) {
        manager.post(
            url, parameters: ["album": "sea"], headers: nil,
            constructingBodyWith: { (formData: AFMultipartFormData) in
                formData.appendPart(
                    withFileData: photo, name: "photo", fileName: "p.jpg", mimeType: "image/jpeg")
            },
            progress: { (uploadProgress: Progress) in
                progress(uploadProgress.fractionCompleted)
            },
            success: { (task: URLSessionDataTask, responseObject: Any?) in completion(true) },
            failure: { (task: URLSessionDataTask?, error: Error) in completion(false) })
    }
    // snippet: end
}
