import EventRecorder
import Foundation
import FoundationNetworking

// What the delegate is told, as a recording sees it.

extension URLConnection {
    /// Calls the delegate; nil where there is none, or none any more.
    ///
    /// Not for `connectionBytesNotConsumed`: it is asked so often, and answers so fast, that it would
    /// hide the rest.
    func tell<Result>(
        _ method: @autoclosure () -> EventText, _ call: (any URLConnectionDelegate) -> Result
    ) -> Result? {
        tell(delegate, method(), call)
    }

    /// The same for a delegate that the connection has already let go.
    func tell<Result>(
        _ delegate: (any URLConnectionDelegate)?, _ method: @autoclosure () -> EventText,
        _ call: (any URLConnectionDelegate) -> Result
    ) -> Result? {
        guard let delegate else { return nil }
        return EventRecorder.span(.delegateCall, subject: number, text: method()) { call(delegate) }
    }
}

extension EventText {
    static let willSend = EventText(fixed: "connection(_:willSend:redirectResponse:)")
    static let challenge = EventText(fixed: "connection(_:willSendRequestFor:)")
    static let shouldUseStorage = EventText(fixed: "connectionShouldUseCredentialStorage(_:)")
    static let needNewBody = EventText(fixed: "connection(_:needNewBodyStream:)")
    static let didSend = EventText(fixed: "connection(_:didSendBodyData:…)")
    static let didReceiveResponse = EventText(fixed: "connection(_:didReceive: response)")
    static let didReceiveData = EventText(fixed: "connection(_:didReceive: data)")
    static let willCache = EventText(fixed: "connection(_:willCacheResponse:)")
    static let didFinish = EventText(fixed: "connectionDidFinishLoading(_:)")
    static let didFail = EventText(fixed: "connection(_:didFailWithError:)")
}
