import Foundation
import FoundationNetworking

/// Foundation's `URLSession` as it is, with completion handlers.
final class URLSessionRival: Rival, @unchecked Sendable {
    // @unchecked because everything is set once, and sessions are safe from any thread.
    private let session: URLSession
    private let sink: Sink
    private let request: URLRequest
    private let isJSON: Bool

    init(_ assignment: Assignment) {
        let configuration =
            assignment.isPlain
            ? URLSessionConfiguration.default : URLSessionConfiguration.ephemeral
        if !assignment.isPlain {
            configuration.httpMaximumConnectionsPerHost =
                assignment.kind == .cancel ? assignment.count : assignment.atOnce
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.urlCredentialStorage = nil
        }
        sink = Sink()
        session = URLSession(configuration: configuration, delegate: sink, delegateQueue: nil)
        var request = URLRequest(url: assignment.url)
        if assignment.closes {
            request.setValue("close", forHTTPHeaderField: "Connection")
        }
        self.request = request
        isJSON = assignment.isJSON
    }

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        session.dataTask(with: request) { [isJSON] data, response, error in
            if let error { return ended(Reply(error)) }
            var reply = Reply(
                isGood: (response as? HTTPURLResponse)?.statusCode == 200,
                byteCount: data?.count ?? 0, body: data)
            if isJSON, let data {
                reply.object = try? JSONSerialization.jsonObject(with: data)
            }
            ended(reply)
        }.resume()
    }

    func cancelAll() {
        session.getAllTasks { tasks in tasks.forEach { $0.cancel() } }
    }

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        guard let path else {
            sink.ended = ended
            return session.dataTask(with: request).resume()
        }
        session.downloadTask(with: request) { file, response, error in
            if let error { return ended(Reply(error)) }
            if let file {
                _ = rename(file.path, path)
            }
            let length = Int(response?.expectedContentLength ?? 0)
            ended(Reply(isGood: true, byteCount: length))
        }.resume()
    }

    /// From the file, as it likes to: a stream it sends in chunks, whatever length is given.
    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        sink.ended = ended
        var request = request
        request.httpMethod = "PUT"
        session.uploadTask(with: request, fromFile: URL(filePath: path)).resume()
    }
}

/// Counts the bytes of tasks without a completion handler.
private final class Sink: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // @unchecked because it is set before the task starts and then used on the delegate queue.
    var ended: (@Sendable (Reply) -> Void)?
    private var byteCount = 0

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        byteCount += data.count
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        ended?(error.map { Reply($0) } ?? Reply(isGood: true, byteCount: byteCount))
    }
}
