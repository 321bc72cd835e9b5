// swift-format-ignore-file: NeverForceUnwrap
import Alamofire
import Foundation
import FoundationNetworking

/// The same with both imports, and a task that is kept.
class OwnSessionBeside: NSObject, URLSessionDataDelegate {
    private var task: URLSessionDataTask?
    private var tasks: [URLSessionTask] = []
    private(set) var data = Data()
    private var finish: (String) -> Void = { _ in }

    func load(_ url: String, completion: @escaping (String) -> Void) {
        finish = completion
        let session = URLSession(
            configuration: .ephemeral, delegate: self, delegateQueue: nil)
        task = session.dataTask(with: URL(string: url)!)
        tasks.append(task!)
        task?.resume()
        session.finishTasksAndInvalidate()
    }

    func loadShared(_ url: String, completion: @escaping (Int) -> Void) {
        task = URLSession.shared.dataTask(with: URL(string: url)!) { data, response, error in
            completion((response as? HTTPURLResponse)?.statusCode ?? 0)
        }
        task?.resume()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.data.append(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?)
    {
        finish("\(String(decoding: data, as: UTF8.self)) \(task === self.task)")
    }
}
