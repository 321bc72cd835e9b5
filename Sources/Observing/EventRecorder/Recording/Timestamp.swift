import Foundation

/// Dates in ISO 8601 with milliseconds, in UTC: `2015-11-11T09:30:00.250Z`.
enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ date: Date) -> String {
        // A quarter of a millisecond is added because the style truncates, and 0.999 may be stored
        // as less.
        (inMilliseconds(date) + 0.000_25).formatted(style)
    }

    static func date(_ text: String) -> Date? {
        (try? style.parse(text)).map(inMilliseconds)
    }

    /// The nearest whole millisecond: the precision of the text.
    static func inMilliseconds(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}
