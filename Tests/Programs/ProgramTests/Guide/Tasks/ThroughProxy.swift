import CurlConnection
import Foundation
import OperationNetworking

func throughProxy(_ base: URL, proxy: URL) throws -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    manager.configuration.proxy = .fixed(try Proxy(url: proxy, exceptions: ["*.intern.example"]))
    // .environment uses http_proxy, https_proxy and no_proxy; the default is .direct.
    // snippet: end
    return manager
}
