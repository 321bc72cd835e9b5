import CurlConnection
import Foundation
import OperationNetworking

func carefulClient(_ base: URL) -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    // Used instead of a DNS lookup. The request and the certificate still have the name.
    manager.configuration.hostAddresses = ["shop.test": ["127.0.0.1"]]
    // Seconds for look-up, connection and TLS together.
    manager.configuration.connectTimeout = 30
    manager.configuration.minimumTLSVersion = .tls13
    // Bytes a second, of each response and of each request.
    manager.configuration.maximumReceiveRate = 500_000
    manager.configuration.maximumSendRate = 100_000
    // snippet: end
    return manager
}
