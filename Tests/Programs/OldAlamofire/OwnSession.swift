// swift-format-ignore-file: NeverForceUnwrap
import Alamofire
import Foundation

/// A session of the program's own, in a file that names Alamofire too: what comes is not Alamofire's.
class OwnSession: NSObject, URLSessionDataDelegate {
    private(set) var lines: [String] = []
    private var finish: ([String]) -> Void = { _ in }

    func load(_ url: String, completion: @escaping ([String]) -> Void) {
        finish = completion
        let session = URLSession(
            configuration: .ephemeral, delegate: self, delegateQueue: nil)
        session.dataTask(with: URL(string: url)!).resume()
        session.finishTasksAndInvalidate()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        lines.append("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lines.append("data \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?)
    {
        lines.append("end \(error == nil)")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        finish(lines)
    }
}
