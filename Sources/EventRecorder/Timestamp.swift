import Foundation

/// Moments of the calendar in ISO 8601 with milliseconds, in UTC: `2015-11-11T09:30:00.250Z`.
enum Timestamp {
    static func text(_ date: Date) -> String {
        let milliseconds = milliseconds(date)
        let second = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let fraction = second.remainder < 0 ? second.remainder + 1000 : second.remainder
        let whole = (milliseconds - fraction) / 1000
        let text = Date(timeIntervalSince1970: Double(whole)).formatted(.iso8601)
        let digits = String(1000 + fraction).dropFirst()
        return text.dropLast() + "." + digits + "Z"
    }

    static func date(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? style.parse(text)).map(inMilliseconds)
    }

    /// The nearest whole millisecond: what a text keeps of a date.
    static func inMilliseconds(_ date: Date) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds(date)) / 1000)
    }

    private static func milliseconds(_ date: Date) -> Int {
        Int((date.timeIntervalSince1970 * 1000).rounded())
    }
}
