import CurlConnection
import Foundation
public import FoundationNetworking
public import OperationNetworking

extension ImageDownloader {
    /// An operation manager for images: an image serializer, cookies, the protocol's cache policy,
    /// and an HTTP cache of 20 MiB in memory and 150 MiB on disk.
    ///
    /// All managers that this method returns share the HTTP cache. If its folder cannot be used at the first call, for
    /// instance because another process uses that folder, the cache has no part on disk.
    public static func defaultManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager()
        manager.responseSerializer = ImageResponseSerializer()
        manager.configuration.responseCache = responseCache
        return manager
    }

    /// AFNetworking's session configuration for images: cookies, the protocol's cache policy, a request timeout of
    /// 60 s, and a `URLCache` of 20 MiB in memory and 150 MiB on disk.
    ///
    /// A session manager of this package does not store in the `URLCache`: it makes a cache of its own with the same
    /// capacity in memory. For one on disk, set the `responseCache` of its `connectionConfiguration`.
    ///
    /// The `URLCache` is in the user's caches folder. AFNetworking passes a name without a folder, which on Linux would
    /// be a path relative to the working directory.
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
