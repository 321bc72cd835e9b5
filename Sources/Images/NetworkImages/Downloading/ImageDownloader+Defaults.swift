import CurlConnection
import Foundation
public import FoundationNetworking
public import OperationNetworking

extension ImageDownloader {
    /// An operation manager for images: an image serializer, cookies, the protocol's cache policy,
    /// and an HTTP cache of 20 MiB in memory and 150 MiB on disk, in a folder of its own.
    ///
    /// Where another process uses that folder, the HTTP cache is in memory only.
    public static func defaultManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager()
        manager.responseSerializer = ImageResponseSerializer()
        manager.configuration.responseCache = responseCache
        return manager
    }

    /// AFNetworking's session configuration for images: cookies, the protocol's cache policy, 60 s,
    /// and a cache of 20 MiB in memory and 150 MiB on disk.
    ///
    /// For a session manager on `.connection`, set its `connectionConfiguration`'s cache instead.
    /// Foundation's cache, which is set here, has a folder of its own in the user's caches folder:
    /// the mere name that AFNetworking uses would be a folder in the working directory.
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
