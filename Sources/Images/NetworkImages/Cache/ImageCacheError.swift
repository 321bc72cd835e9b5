public import Foundation

/// A setting of a cache that makes no sense.
///
/// As an NSError it has the domain `NetworkImages.cache`; the numbers never change.
public enum ImageCacheError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// 1: what is to be left after a purge is more than there may be at all, both in bytes.
    case preferredUsageAboveCapacity(preferred: UInt64, capacity: UInt64)

    /// `NetworkImages.cache`.
    public static var errorDomain: String { "NetworkImages.cache" }
    /// 1.
    public var errorCode: Int { 1 }
    /// What to change.
    public var errorDescription: String? {
        switch self {
        case .preferredUsageAboveCapacity(let preferred, let capacity):
            "preferredMemoryUsageAfterPurge (\(preferred) bytes) is above memoryCapacity "
                + "(\(capacity) bytes); it must be at most as large."
        }
    }
    /// The description.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: errorDescription ?? ""]
    }
}
