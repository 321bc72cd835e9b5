import AFNetworking

/// A download with a pause button.
class Player {
    let operation: AFHTTPRequestOperation
    var received: Int64 = 0

    // snippet: begin
    init(url: URL) {
        operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.setDownloadProgressBlock {
            (bytesRead, totalBytesRead, totalBytesExpectedToRead) in
            self.received = totalBytesRead
        }
    }

    func toggle() {
        if operation.isPaused() {
            operation.resume()
        } else {
            operation.pause()
        }
    }
    // snippet: end
}
