import Foundation

/// The dates of HTTP (RFC 9110 section 5.6.7).
///
/// Parsing is strict: a text that is not exactly one of the three forms is no date, and what
/// depends on it counts as expired. Only upper and lower case may differ.
enum CacheDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longDays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter now: decides the century of a two-digit year, which is at most 50 years ahead.
    static func parse(_ text: String, now: Date) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        if let date = fixdate(text) { return date }
        let text = FieldValue.trimmed(text.utf8[...]).lowercased()
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 6, parts[5] == "gmt", isDay(parts[0], days, ",") {
            return date(parts[1], parts[2], number(parts[3], digits: 4), parts[4])
        }
        if parts.count == 4, parts[3] == "gmt", isDay(parts[0], longDays, ",") {
            let pieces = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard pieces.count == 3, let short = number(String(pieces[2]), digits: 2) else {
                return nil
            }
            let full = year(short, now: now)
            return date(String(pieces[0]), String(pieces[1]), full, parts[2])
        }
        return asctime(parts)
    }

    /// The form that is sent today, Sun, 06 Nov 1994 08:49:37 GMT, read byte by byte.
    private static func fixdate(_ text: String) -> Date? {
        let date = text.utf8.withContiguousStorageIfAvailable { bytes -> Date? in
            func word(_ start: Int) -> UInt32 { lowercased(bytes[start..<(start + 3)]) }
            func number(_ range: Range<Int>) -> Int32? {
                var number: Int32 = 0
                for byte in bytes[range] {
                    guard (0x30...0x39).contains(byte) else { return nil }
                    number = number * 10 + Int32(byte - 0x30)
                }
                return number
            }
            guard bytes.count == 29, bytes[3] == UInt8(ascii: ","),
                [4, 7, 11, 16, 25].allSatisfy({ bytes[$0] == UInt8(ascii: " ") }),
                bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"),
                dayWords.contains(word(0)), word(26) == zoneWord,
                let day = number(5..<7), let month = monthWords.firstIndex(of: word(8)),
                let year = number(12..<16), let hour = number(17..<19),
                let minute = number(20..<22), let second = number(23..<25)
            else { return nil }
            return self.date(day, month, year, hour, minute, second)
        }
        return date ?? nil
    }

    private static let dayWords = days.map { lowercased($0.utf8) }
    private static let monthWords = months.map { lowercased($0.utf8) }
    private static let zoneWord = lowercased("GMT".utf8)

    /// Three letters as one number; other bytes never match a letter.
    private static func lowercased(_ letters: some Sequence<UInt8>) -> UInt32 {
        letters.reduce(0) { $0 << 8 | UInt32($1 | 0x20) }
    }

    private static func asctime(_ parts: [String]) -> Date? {
        guard let first = parts.first, isDay(first, days, "") else { return nil }
        if parts.count == 6, parts[2].isEmpty, parts[3].utf8.count == 1 {
            return date("0" + parts[3], parts[1], number(parts[5], digits: 4), parts[4])
        }
        guard parts.count == 5 else { return nil }
        return date(parts[2], parts[1], number(parts[4], digits: 4), parts[3])
    }

    static func format(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday))"
        let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(day) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year) \(time) GMT"
    }

    private static func isDay(_ text: String, _ names: [String], _ end: String) -> Bool {
        names.contains { $0.lowercased() + end == text }
    }

    private static func year(_ short: Int32, now: Date) -> Int32 {
        var seconds = time_t(now.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let current = parts.tm_year + 1900
        let year = current - current % 100 + short
        return year > current + 50 ? year - 100 : year
    }

    private static func number(_ text: String, digits: Int) -> Int32? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int32(text)
    }

    private static func date(
        _ day: String, _ month: String, _ year: Int32?, _ time: String
    ) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
            .compactMap { number(String($0), digits: 2) }
        guard let day = number(day, digits: 2), let year, clock.count == 3, time.utf8.count == 8,
            let month = months.firstIndex(where: { $0.lowercased() == month })
        else { return nil }
        return self.date(day, month, year, clock[0], clock[1], clock[2])
    }

    private static func date(
        _ day: Int32, _ month: Int, _ year: Int32, _ hour: Int32, _ minute: Int32, _ second: Int32
    ) -> Date? {
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, min(second, 59))
        let seconds = timegm(&parts)
        // `timegm` turns June 31st into July 1st; then the days differ.
        return parts.tm_mday == day ? Date(timeIntervalSince1970: TimeInterval(seconds)) : nil
    }
}
