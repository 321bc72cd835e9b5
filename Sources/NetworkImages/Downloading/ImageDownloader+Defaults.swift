import CurlConnection
import Foundation
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

    private static let responseCache: ResponseCache? = {
        let folder = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
            .appendingPathComponent("com.alamofire.imagedownloader")
        return
            (try? ResponseCache(
                memoryCapacity: 20 << 20, diskCapacity: 150 << 20, directory: folder))
            ?? (try? ResponseCache(memoryCapacity: 20 << 20))
    }()
}
