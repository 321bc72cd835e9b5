import EventRecorder
import FoundationNetworking

/// The words of recorded events, each interned once.
enum Text {
    static let resumed = EventText("resumed")
    static let suspended = EventText("suspended")
    static let cancelled = EventText("cancelled")

    static let destination = EventText("destination")

    static let didBecomeInvalid = EventText("urlSession(_:didBecomeInvalidWithError:)")
    static let didReceiveResponse = EventText(
        "urlSession(_:dataTask:didReceive:completionHandler:)")
    static let didReceiveData = EventText("urlSession(_:dataTask:didReceive:)")
    static let didSendBodyData = EventText(
        "urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)")
    static let needNewBodyStream = EventText("urlSession(_:task:needNewBodyStream:)")
    static let willRedirect = EventText(
        "urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)")
    static let didReceiveChallenge = EventText(
        "urlSession(_:task:didReceive:completionHandler:)")
    static let didComplete = EventText("urlSession(_:task:didCompleteWithError:)")
}
