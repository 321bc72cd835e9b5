package import Foundation
package import FoundationNetworking

/// The dates of HTTP (RFC 9110 section 5.6.7).
///
/// Parsing is strict: a text that is not exactly one of the three forms is no date, and what
/// depends on it counts as expired. Only upper and lower case may differ.
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let shortDays = days.map(word)
    private static let longDays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ].map(word)
    private static let shortMonths = months.map(word)
    private static let zone = word("gmt")

    typealias Time = (hour: Int32, minute: Int32, second: Int32)

    /// At most 16 letters as one number, in lower case.
    private static func word(_ text: String) -> UInt128 { word(text.utf8) }

    private static func word(_ letters: some Sequence<UInt8>) -> UInt128 {
        letters.reduce(0) { $0 << 8 | UInt128($1 | 0x20) }
    }

    /// The number of a month that is named by three letters; January is 0.
    static func month(_ letters: some Sequence<UInt8>) -> Int? {
        shortMonths.firstIndex(of: word(letters))
    }

    /// - Parameter now: decides the century of a two-digit year, which is at most 50 years ahead.
    static func parse(_ text: String, now: Date) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        var text = text
        return text.withUTF8 { bytes in
            var rest = Reader(bytes: bytes[...])
            rest.trim()
            return date(&rest, now)
        }
    }

    private static func date(_ rest: inout Reader, _ now: Date) -> Date? {
        let day = rest.word()
        let isLong = longDays.contains(day)
        guard isLong || shortDays.contains(day) else { return nil }
        guard rest.takes(",") else { return isLong ? nil : asctime(&rest) }
        // Sun, 06 Nov 1994 08:49:37 GMT, or Sunday, 06-Nov-94 08:49:37 GMT
        let dash: Unicode.Scalar = isLong ? "-" : " "
        guard rest.takes(" "), let day = rest.number(2), rest.takes(dash),
            let month = shortMonths.firstIndex(of: rest.word()), rest.takes(dash),
            let number = rest.number(isLong ? 2 : 4), rest.takes(" "), let time = rest.time(),
            rest.takes(" "), rest.word() == zone, rest.bytes.isEmpty
        else { return nil }
        return date(day, month, isLong ? year(number, now: now) : number, time)
    }

    /// Sun Nov  6 08:49:37 1994, behind the name of the day.
    private static func asctime(_ rest: inout Reader) -> Date? {
        guard rest.takes(" "), let month = shortMonths.firstIndex(of: rest.word()),
            rest.takes(" "), let day = rest.takes(" ") ? rest.number(1) : rest.number(2),
            rest.takes(" "), let time = rest.time(), rest.takes(" "), let year = rest.number(4),
            rest.bytes.isEmpty
        else { return nil }
        return date(day, month, year, time)
    }

    /// Takes one piece after the other from a date's text.
    private struct Reader {
        var bytes: Slice<UnsafeBufferPointer<UInt8>>

        mutating func trim() {
            while let first = bytes.first, FieldValue.isBlank(first) { bytes.removeFirst() }
            while let last = bytes.last, FieldValue.isBlank(last) { bytes.removeLast() }
        }

        mutating func takes(_ character: Unicode.Scalar) -> Bool {
            guard bytes.first == UInt8(ascii: character) else { return false }
            bytes.removeFirst()
            return true
        }

        /// The letters that come, as one number; 0 where there is none.
        mutating func word() -> UInt128 {
            var word: UInt128 = 0
            while let byte = bytes.first, byte.isASCIILetter {
                guard word >> 120 == 0 else { return 0 }
                word = word << 8 | UInt128(byte | 0x20)
                bytes.removeFirst()
            }
            return word
        }

        mutating func number(_ digits: Int) -> Int32? {
            var number: Int32 = 0
            for _ in 0..<digits {
                guard let byte = bytes.first, byte.isASCIIDigit else { return nil }
                number = number * 10 + Int32(byte - 0x30)
                bytes.removeFirst()
            }
            return number
        }

        mutating func time() -> Time? {
            guard let hour = number(2), takes(":"), let minute = number(2), takes(":"),
                let second = number(2), hour < 24, minute < 60, second <= 60
            else { return nil }
            return (hour, minute, min(second, 59))
        }
    }

    /// The form of a date in header fields.
    package static func text(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday))"
        let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(day) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year) \(time) GMT"
    }

    private static func year(_ short: Int32, now: Date) -> Int32 {
        var seconds = time_t(now.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let current = parts.tm_year + 1900
        let year = current - current % 100 + short
        return year > current + 50 ? year - 100 : year
    }

    /// Nil where the month has no such day.
    static func date(_ day: Int32, _ month: Int, _ year: Int32, _ time: Time) -> Date? {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time.hour, time.minute, time.second)
        let seconds = timegm(&parts)
        // `timegm` turns June 31st into July 1st; then the days differ.
        return parts.tm_mday == day ? Date(timeIntervalSince1970: TimeInterval(seconds)) : nil
    }
}

extension HTTPURLResponse {
    /// When the server's file was last changed, as far as it says.
    package var lastModified: Date? {
        value(forHTTPHeaderField: "Last-Modified").flatMap { HTTPDate.parse($0, now: Date()) }
    }
}
