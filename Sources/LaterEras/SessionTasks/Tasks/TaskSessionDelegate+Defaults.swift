package import CurlConnection
package import Foundation
package import FoundationNetworking
package import HTTPSemantics
package import OperationNetworking

extension TaskSessionDelegate {
    package func session(
        _ session: TaskSession, didBecomeInvalidWithError error: (any Error)?
    ) {}

    package func sessionAnswersChallenges(_ session: TaskSession) -> Bool { false }

    package func session(
        _ session: TaskSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        completionHandler(.performDefaultHandling, nil)
    }

    package func session(_ session: TaskSession, refusalOf request: URLRequest) -> (any Error)? {
        nil
    }

    package func session(
        _ session: TaskSession, securityPolicyFor request: URLRequest
    ) -> SecurityPolicy { .default() }

    package func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error { error }

    package func session(_ session: TaskSession, decides question: TaskQuestion) -> Bool { true }

    package func session(
        _ session: TaskSession, task: SessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(newRequest)
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        completionHandler(.performDefaultHandling, nil)
    }

    /// Gives a copy of a multipart form's stream; any other stream itself, once.
    package func session(
        _ session: TaskSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        do {
            completionHandler(try task.nextBodyStream())
        } catch {
            // Without a call of the handler nothing is sent; a nil stream would send a part.
            task.fail(with: error)
        }
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {}

    package func session(
        _ session: TaskSession, task: SessionTask, didFinishCollecting metrics: RequestMetrics
    ) {}

    package func session(
        _ session: TaskSession, task: SessionTask, didCompleteWithError error: (any Error)?
    ) {}

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask
    ) {}

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask, didReceive data: Data
    ) {}

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        willCacheResponse proposed: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        completionHandler(proposed)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didResumeAtOffset offset: Int64,
        expectedTotalBytes: Int64
    ) {}

    package func session(_ session: TaskSession, taskDidResume task: SessionTask, isNews: Bool) {}

    package func session(_ session: TaskSession, taskDidSuspend task: SessionTask, isNews: Bool) {}
}
