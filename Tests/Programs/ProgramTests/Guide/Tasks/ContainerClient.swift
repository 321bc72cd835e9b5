import CurlConnection
import Foundation
import OperationNetworking

func containers(_ socket: String) -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://localhost/v1.41/"))
    manager.configuration.unixDomainSocketPath = socket
    // Similar settings: hostAddresses instead of a DNS lookup, connectTimeout, minimumTLSVersion,
    // maximumReceiveRate and maximumSendRate.
    manager.configuration.connectTimeout = 2
    // snippet: end
    return manager
}
