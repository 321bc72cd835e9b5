package import CurlConnection
package import Foundation
package import FoundationNetworking

extension TaskSession {
    /// Makes a session on one of the two transports.
    ///
    /// - Parameters:
    ///   - configuration: copied now.
    ///   - connection: what each `URLConnection` is set up with; nil follows `configuration`. It
    ///     counts with `.connection` alone.
    ///   - delegate: kept until the session is invalid (UM-30).
    ///   - delegateQueue: of width 1 (LX-17).
    package convenience init(
        configuration: URLSessionConfiguration, connection: URLConnectionConfiguration? = nil,
        transport: SessionTransport, delegate: any TaskSessionDelegate,
        delegateQueue: OperationQueue
    ) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        let carrier = FoundationTransport(copy, delegateQueue)
        self.init(transport, copy, delegate, delegateQueue, carrier)
        carrier.connect(to: self)
    }
}
