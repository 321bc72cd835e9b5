import CurlConnection
import Foundation
import OperationNetworking

func localPage(_ file: URL) async throws -> [Data?] {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: nil)
    manager.responseSerializer = HTTPResponseSerializer()
    // Only where the program itself chooses the addresses: an address decides which file is read.
    manager.configuration.loadsLocalAddresses = true
    let page = try await manager.get(file.absoluteString) as? Data
    let note = try await manager.get("data:,hello") as? Data
    // snippet: end
    return [page, note]
}
