import Foundation

/// Why a `ResponseCache` could not be made.
///
/// As an NSError it has the domain `CurlConnection.responseCache`; the codes never change.
public struct ResponseCacheError: NumberedError, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Int, Hashable, Sendable {
        /// A disk capacity was given, but no directory.
        case directoryMissing = 1
        /// The directory cannot be made, read or written.
        case cannotUseDirectory = 2
        /// Another cache, of this process or another, uses the directory.
        case directoryInUse = 3
    }

    /// What is wrong.
    public let reason: Reason
    /// The directory's path; empty when there is none.
    public let path: String

    init(_ reason: Reason, _ path: String) {
        self.reason = reason
        self.path = path
    }

    /// `CurlConnection.responseCache`.
    public static var errorDomain: String { "CurlConnection.responseCache" }

    package var numbered: (number: Int, sentence: String) { (reason.rawValue, sentence) }

    private var sentence: String {
        switch reason {
        case .directoryMissing: "A cache with a diskCapacity needs a directory."
        case .cannotUseDirectory:
            "The cache cannot make, read or write the directory \(path); check its permissions."
        case .directoryInUse:
            "Another cache uses the directory \(path); give each cache a directory of its own."
        }
    }
}
