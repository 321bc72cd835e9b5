import AFNetworking

class VideoUpload: NSObject {
    let manager = AFHTTPRequestOperationManager()
    var sent: Int64 = 0
    var pieces = 0
    var total: Int64 = 0

    func start(_ url: String, file: URL, completion: @escaping () -> Void) {
        let operation = manager.post(
            url, parameters: nil,
            constructingBodyWith: { formData in
                formData.throttleBandwidth(
                    withPacketSize: kAFUploadStream3GSuggestedPacketSize, delay: 0.001)
                do {
                    try formData.appendPart(
                        withFileURL: file, name: "video", fileName: "v.mp4", mimeType: "video/mp4")
                } catch let error as NSError {
                    print("no file: \(error)")
                }
            },
            success: { (operation, responseObject) in
                completion()
            }
        ) { (operation, error) in
            completion()
        }
        operation?.setUploadProgressBlock {
            bytesWritten, totalBytesWritten, totalBytesExpectedToWrite in
            self.pieces += 1
            self.sent = totalBytesWritten
            self.total = totalBytesExpectedToWrite
        }
    }
}
