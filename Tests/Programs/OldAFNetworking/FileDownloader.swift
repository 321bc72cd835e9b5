import AFNetworking

func download(
    _ url: URL, to path: String, progress: @escaping (Float) -> Void,
    completion: @escaping (Error?) -> Void
) {
    // snippet: begin
    let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
    operation.outputStream = OutputStream(toFileAtPath: path, append: false)
    operation.setDownloadProgressBlock {
        (bytesRead: UInt, totalBytesRead: Int64, totalBytesExpectedToRead: Int64) in
        progress(Float(totalBytesRead) / Float(totalBytesExpectedToRead))
    }
    operation.setCompletionBlockWithSuccess(
        { operation, responseObject in
            completion(nil)
        },
        failure: { operation, error in
            completion(error)
        })
    operation.start()
    // snippet: end
}
