import AFNetworking

class UploadMeter {
    let manager = AFHTTPRequestOperationManager()

    func send(
        _ file: URL, to url: String, meter: @escaping (Float) -> Void,
        completion: @escaping (Error?) -> Void
    ) {
        // snippet: begin
        let operation = manager.post(
            url, parameters: nil,
            constructingBodyWith: { formData in
                try? formData.appendPart(withFileURL: file, name: "video")
            },
            success: { (operation, responseObject) in
                completion(nil)
            },
            failure: { (operation, error) in
                completion(error)
            })
        operation?.setUploadProgressBlock {
            (bytesWritten: UInt, totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64) in
            meter(Float(totalBytesWritten) / Float(totalBytesExpectedToWrite))
        }
        // snippet: end
    }
}
