package import CurlConnection
package import Foundation
package import FoundationNetworking
package import OperationNetworking

extension TaskSession {
    /// Makes a session on one of the two transports.
    ///
    /// - Parameters:
    ///   - configuration: copied now.
    ///   - connection: see `connectionConfiguration`.
    ///   - delegate: kept until the session is invalid (UM-30).
    ///   - delegateQueue: of width 1 (LX-17).
    ///   - thread: carries the tasks of `.connection`.
    ///   - given: the program's own session, see `urlSession`.
    package convenience init(
        configuration: URLSessionConfiguration, connection: URLConnectionConfiguration? = nil,
        transport: SessionTransport, delegate: any TaskSessionDelegate,
        delegateQueue: OperationQueue, thread: NetworkThread = .shared,
        showing given: URLSession? = nil
    ) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        switch transport {
        case .foundation:
            let carrier = FoundationTransport(copy, delegateQueue)
            self.init(transport, copy, delegate, delegateQueue, carrier, showing: given)
            carrier.connect(to: self)
        case .connection:
            let carrier = ConnectionTransport(copy, delegateQueue, on: thread)
            self.init(transport, copy, delegate, delegateQueue, carrier, showing: given)
            connectionConfiguration = connection
            carrier.connect(to: self)
        }
    }
}
