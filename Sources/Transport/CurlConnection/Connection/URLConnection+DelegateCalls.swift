import EventRecorder
import Foundation
import FoundationNetworking

// Calls of the delegate, as a recording sees them.

extension URLConnection {
    /// Calls the delegate; nil where there is none any more.
    ///
    /// Not for `connectionBytesNotConsumed`, whose many short calls would hide the others.
    func tell<Result>(
        _ method: @autoclosure () -> EventText, _ call: (any URLConnectionDelegate) -> Result
    ) -> Result? {
        tell(delegate, method(), call)
    }

    /// The same for a delegate that the connection has already released.
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
