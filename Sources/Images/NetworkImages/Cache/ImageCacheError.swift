import Foundation
public import HTTPSemantics

/// A setting of a cache that is not possible.
///
/// As an `NSError` it has the domain `NetworkImages.cache`; later versions keep its codes.
public enum ImageCacheError: NumberedError, Hashable, Sendable {
    /// 1: the preferred usage after a purge exceeds the capacity, both in bytes.
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
