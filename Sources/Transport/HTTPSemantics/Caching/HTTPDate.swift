package import Foundation
package import FoundationNetworking

/// The form of a date in header fields.
package enum HTTPDate {
    package static func text(_ date: Date) -> String { CacheDate.format(date) }
}

extension HTTPURLResponse {
    /// When the server's file was last changed, as far as it says.
    package var lastModified: Date? {
        value(forHTTPHeaderField: "Last-Modified").flatMap { CacheDate.parse($0, now: Date()) }
    }
}
