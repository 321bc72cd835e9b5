package import FoundationNetworking
import HTTPSemantics

/// A delegate that nobody has overridden, so that it can be told in a cheaper way.
package protocol DirectDelegate: AnyObject {
    /// In the place of `connection(_:willSend:redirectResponse:)` before the first sending.
    func connection(_ connection: URLConnection, willSendFirst request: URLRequest) -> FirstRequest

    /// In the place of `connection(_:didReceive:)` with a response: it makes that when it needs one.
    func connection(_ connection: URLConnection, didReceiveHead response: LateResponse)

    /// In the place of `connection(_:didReceive:)` with data: the piece where it lies.
    func connection(_ connection: URLConnection, didReceivePiece piece: UnsafeRawBufferPointer)

    /// By what it judges servers at this moment, where that is all it does when it is asked about
    /// one; nil where it must be asked.
    var serverTrustRequirements: ServerTrustRequirements? { get }
}

/// What goes out first.
package enum FirstRequest {
    case asItIs
    /// Another one; nil refuses.
    case changed(URLRequest?)
}
