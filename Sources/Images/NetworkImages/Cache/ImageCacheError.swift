import Foundation
public import HTTPSemantics

/// A setting of a cache that makes no sense.
///
/// As an NSError it has the domain `NetworkImages.cache`; the numbers never change.
public enum ImageCacheError: NumberedError, Hashable, Sendable {
    /// 1: what is to be left after a purge is more than there may be at all, both in bytes.
    case preferredUsageAboveCapacity(preferred: UInt64, capacity: UInt64)

    /// `NetworkImages.cache`.
    public static var errorDomain: String { "NetworkImages.cache" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .preferredUsageAboveCapacity(let preferred, let capacity):
            (
                1,
                "preferredMemoryUsageAfterPurge (\(preferred) bytes) is above memoryCapacity "
                    + "(\(capacity) bytes); it must be at most as large."
            )
        }
    }
}
