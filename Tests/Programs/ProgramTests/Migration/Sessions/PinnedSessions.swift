import CurlConnection
import Foundation
import OperationNetworking
import SessionEra

func pinnedSessions(_ server: URL, certificate: URL) throws -> HTTPSessionManager {
    // snippet: begin
    let manager = HTTPSessionManager(baseURL: server)
    let pin = try Certificate(der: Data(contentsOf: certificate))
    manager.securityPolicy = try SecurityPolicy.pinning(.certificate, to: [pin])
    // snippet: end
    return manager
}
