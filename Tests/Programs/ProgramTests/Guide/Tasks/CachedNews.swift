import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

func cachedNews(_ base: URL, folder: URL) throws -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    manager.configuration.responseCache = try ResponseCache(
        memoryCapacity: 4 << 20, diskCapacity: 100 << 20, directory: folder)
    // snippet: end
    return manager
}

func explain(_ url: URL, in manager: HTTPRequestOperationManager) -> String {
    // snippet: begin
    let cache = manager.configuration.responseCache
    // For example "hit: fresh for 12 s more".
    let reason = cache?.explain(URLRequest(url: url)) ?? "no cache"
    // snippet: end
    return reason
}
