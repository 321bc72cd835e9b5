import Foundation

/// The dates of cookies, which have a format of their own (RFC 6265 section 5.1.1).
enum CookieDate {
    /// The date in a text; nil where the algorithm fails or there is no such day.
    static func date(_ text: String) -> Date? {
        var parts = Parts()
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            parts.take(token)
        }
        return parts.date
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private struct Parts {
        typealias Token = Substring.UTF8View

        private static let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]

        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?

        /// Step 2: a token is the first missing part that it can be read as.
        mutating func take(_ token: Token) {
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = Self.number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = Self.number(token, digits: 2...4) {
                year = found
            }
        }

        /// Steps 3 to 6.
        var date: Date? {
            guard let time, let day, let month, let year = fullYear,
                year >= 1601, (1...31).contains(day),
                time.hour <= 23, time.minute <= 59, time.second <= 59
            else { return nil }
            let parts = DateComponents(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute,
                second: time.second)
            guard let date = Self.calendar.date(from: parts),
                Self.calendar.component(.day, from: date) == day
            else { return nil }
            return date
        }

        private static let calendar = {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            return calendar
        }()

        private var fullYear: Int? {
            guard let year else { return nil }
            return switch year {
            case 70...99: year + 1900
            case 0...69: year + 2000
            default: year
            }
        }

        private static func time(_ token: Token) -> (hour: Int, minute: Int, second: Int)? {
            let fields = token.split(
                separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[0].count <= 2, fields[1].count <= 2,
                fields[0].allSatisfy(\.isASCIIDigit), fields[1].allSatisfy(\.isASCIIDigit),
                let hour = number(fields[0], digits: 1...2),
                let minute = number(fields[1], digits: 1...2),
                let second = number(fields[2], digits: 1...2)
            else { return nil }
            return (hour, minute, second)
        }

        private static func month(_ token: Token) -> Int? {
            let name = String(Substring(token.prefix(3))).lowercased()
            return months.firstIndex(of: name).map { $0 + 1 }
        }

        /// The number that a token begins with; the rest of the token is ignored.
        private static func number(_ token: Token, digits: ClosedRange<Int>) -> Int? {
            let number = token.prefix(while: \.isASCIIDigit)
            guard digits.contains(number.count) else { return nil }
            return Int(Substring(number))
        }
    }
}
