/// Heads of responses whose numbers mean harm; each seed makes the same ones every time.
package struct HostileHeads {
    package static let numbers = [
        "0", "1", "5", "4294967296", "9223372036854775806", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "1" + String(repeating: "0", count: 40), "-1", "-9223372036854775808", "+5", "007", "",
        " ", "5 ", "0x10", "1e9", "5.5", "٣", "--5", "NaN",
    ]

    private static let dates = [
        "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
        "Tue, 99 Nov 9999 99:99:99 GMT", "Tuesday, 14-Nov-99 22:13:20 GMT",
        "Tue Nov 14 22:13:20 2023", "0", "-1", "",
    ]

    package var random: SeededNumbers

    package init(seed: UInt64) {
        random = SeededNumbers(seed: seed)
    }

    private mutating func number() -> String { Self.numbers.randomElement(using: &random) ?? "" }
    private mutating func date() -> String { Self.dates.randomElement(using: &random) ?? "" }

    /// The status line and fields, without line ends.
    package mutating func lines() -> [String] {
        let status = [200, 203, 206, 301, 304, 404, 416, 500].randomElement(using: &random)
        let count = Int.random(in: 0...8, using: &random)
        return ["HTTP/1.1 \(status ?? 200) X"] + (0..<count).map { _ in field() }
    }

    private mutating func field() -> String {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: "Content-Length: " + number()
        case 1: "Content-Length: " + number() + ", " + number()
        case 2: "Content-Range: bytes \(number())-\(number())/\(number())"
        case 3: "Content-Range: bytes */\(number())"
        case 4: "Age: " + number()
        case 5: "Cache-Control: max-age=\(number())"
        case 6: "Cache-Control: max-age=\(number()), stale-if-error=\(number())"
        case 7: "Expires: " + date()
        case 8: "Date: " + date()
        case 9: "Last-Modified: " + date()
        case 10: "ETag: \"\(number())\""
        case 11: "Retry-After: " + number()
        case 12: "Set-Cookie: a=b; Max-Age=\(number()); Expires=\(date())"
        case 13: "WWW-Authenticate: Digest realm=\"r\", nonce=\"\(number())\", nc=1"
        case 14: "Keep-Alive: timeout=\(number()), max=\(number())"
        default: "Vary: " + number()
        }
    }
}
