import CurlConnection
import Foundation
import OperationNetworking

func shop(_ base: URL, cookies file: URL) throws -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    // Session cookies stay in memory; others are in the file before `flush` returns.
    let storage = try CookieStorage(file: file)
    manager.configuration.cookieStorage = storage
    // snippet: end
    return manager
}
