import EventRecorder
import FoundationNetworking

/// The texts of recorded events, each interned once.
enum TaskText {
    static let resumed = EventText(fixed: "resumed")
    static let suspended = EventText(fixed: "suspended")
    static let cancelled = EventText(fixed: "cancelled")

    static let didBecomeInvalid = EventText(fixed: "urlSession(_:didBecomeInvalidWithError:)")
    static let didReceiveResponse = EventText(
        fixed: "urlSession(_:dataTask:didReceive:completionHandler:)")
    static let didReceiveData = EventText(fixed: "urlSession(_:dataTask:didReceive:)")
    static let didSendBodyData = EventText(
        fixed: "urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)")
    static let needNewBodyStream = EventText(fixed: "urlSession(_:task:needNewBodyStream:)")
    static let willRedirect = EventText(
        fixed: "urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)")
    static let didReceiveChallenge = EventText(
        fixed: "urlSession(_:task:didReceive:completionHandler:)")
    static let willCacheResponse = EventText(
        fixed: "urlSession(_:dataTask:willCacheResponse:completionHandler:)")
    static let didFinishCollecting = EventText(fixed: "urlSession(_:task:didFinishCollecting:)")
    static let didComplete = EventText(fixed: "urlSession(_:task:didCompleteWithError:)")
}
