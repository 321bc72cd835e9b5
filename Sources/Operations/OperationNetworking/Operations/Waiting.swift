import CurlConnection
import Foundation

/// What a connection waits for, as one number that any thread reads.
enum Waiting {
    static let nothing: UInt64 = 0
    private static let connection: UInt64 = 1

    /// The date of a try is its milliseconds since 1970, which are more than one.
    static func number(of wait: LoadWait?) -> UInt64 {
        switch wait {
        case nil: nothing
        case .connection: connection
        case .retry(let date): UInt64(max(2, date.timeIntervalSince1970 * 1_000))
        }
    }

    static func wait(of number: UInt64) -> LoadWait? {
        switch number {
        case nothing: nil
        case connection: .connection
        default: .retry(at: Date(timeIntervalSince1970: Double(number) / 1_000))
        }
    }
}
