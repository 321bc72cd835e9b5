import CurlConnection
import Foundation
public import FoundationNetworking
public import OperationNetworking

extension ImageDownloader {
    /// A manager of the connection era for images: an image serializer, cookies, the protocol's cache
    /// policy, and an HTTP cache of 20 MiB in memory and 150 MiB on disk, in a folder of its own
    /// (IM-01).
    ///
    /// Where another process uses that folder, the HTTP cache is in memory only.
    public static func defaultManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager()
        manager.responseSerializer = ImageResponseSerializer()
        manager.configuration.responseCache = responseCache
        return manager
    }

    /// What the original's session was configured with: cookies, the protocol's cache policy, 60 s, and
    /// a cache of 20 MiB in memory and 150 MiB on disk (IM-01).
    ///
    /// For a session manager on `.connection`, whose `connectionConfiguration` has the cache that
    /// counts. Foundation's, which is set here too, lies in a folder of its own among the user's
    /// caches: a name alone, as the original has it, would be a folder in the working directory.
    public static var defaultURLSessionConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.httpShouldSetCookies = true
        configuration.requestCachePolicy = .useProtocolCachePolicy
        configuration.allowsCellularAccess = true
        configuration.timeoutIntervalForRequest = 60
        configuration.urlCache = URLCache(
            memoryCapacity: 20 << 20, diskCapacity: 150 << 20,
            diskPath: folder?.appendingPathExtension("URLCache").path)
        return configuration
    }

    private static let responseCache: ResponseCache? = {
        (try? ResponseCache(
            memoryCapacity: 20 << 20, diskCapacity: 150 << 20, directory: folder))
            ?? (try? ResponseCache(memoryCapacity: 20 << 20))
    }()

    private static var folder: URL? {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
            .appendingPathComponent("com.alamofire.imagedownloader")
    }
}
