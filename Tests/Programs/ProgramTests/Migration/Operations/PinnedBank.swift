import CurlConnection
import Foundation
import OperationNetworking

func pinnedBank(_ base: URL, certificate file: URL) throws -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    let pin = try Certificate(der: Data(contentsOf: file))
    manager.securityPolicy = try SecurityPolicy.pinning(.certificate, to: [pin])
    // snippet: end
    return manager
}
