import Alamofire
import Foundation

/// A class that loads by a session of its own and adds a field, as recorders of traffic do.
class ForwardingProtocol: URLProtocol {
    private var activeTask: URLSessionDataTask?
    private lazy var session = URLSession(
        configuration: .ephemeral, delegate: self, delegateQueue: nil)

    override class func canInit(with request: URLRequest) -> Bool {
        request.value(forHTTPHeaderField: "X-Forwarded") == nil
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        var request = self.request
        request.setValue("1", forHTTPHeaderField: "X-Forwarded")
        activeTask = session.dataTask(with: request)
        activeTask?.resume()
    }

    override func stopLoading() {
        activeTask?.cancel()
        session.invalidateAndCancel()
    }
}

extension ForwardingProtocol: URLSessionDataDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        client?.urlProtocol(self, didLoad: data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?)
    {
        if let response = task.response {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        if let error = error {
            client?.urlProtocol(self, didFailWithError: error)
        } else {
            client?.urlProtocolDidFinishLoading(self)
        }
    }
}
