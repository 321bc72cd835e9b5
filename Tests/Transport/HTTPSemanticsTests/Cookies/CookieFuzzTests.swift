import TestSupport

@testable import HTTPSemantics

/// splitmix64, so that a failure's seed gives the same bytes anywhere.
@Suite("Set-Cookie fields of random bytes", .timeLimit(.minutes(2)))
struct CookieFuzzTests {
    private static let pieces = [
        "a", "=", ";", " ", "\t", ",", "\"", ".", "..", "/", ":", "%", "\r\n", "\u{0}", "\u{7F}",
        "Domain=", "domain", "Path=", "Secure", "HttpOnly", "Expires=", "Max-Age=", "-", "0", "9",
        "99999999999999999999", "Wed, 09 Jun 2100 10:18:14 GMT", "co.uk", "uk", "example.co.uk",
        ".example.co.uk", "www.example.co.uk", "evil.com", "github.io", "127.0.0.1", "0.0.1",
        "公司.cn", "xn--55qx5d", "__Host-", "__Secure-", "ü", "\u{301}", "\u{212A}", "\u{3002}",
        "/in",
        "\u{10FFFF}", "İ", "ſ", "\u{2024}com", "@", "#", "?", "\\", "[::1]",
    ]

    private func field(_ random: inout SeededNumbers) -> String {
        if Bool.random(using: &random) {
            let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            return "n=" + String(decoding: bytes, as: UTF8.self)
        }
        let start = Bool.random(using: &random) ? "n=v; Domain=" : ""
        return (0..<Int.random(in: 1..<12, using: &random)).reduce(into: start) { text, _ in
            text += Self.pieces.randomElement(using: &random) ?? ""
        }
    }

    private static let servers = [
        "http://www.example.co.uk/in/x", "https://a.github.io/", "https://127.0.0.1/",
        "http://[::1]/", "https://食狮.公司.cn/", "http://localhost/",
    ].map(CookieWorld.url)

    private static let others = [
        "evil.com", "other.co.uk", "co.uk", "uk", "github.io", "b.github.io", "127.0.0.2", "0.0.1",
        "公司.cn", "other.公司.cn", "com", "a.localhost", "1",
    ].map { CookieWorld.url("https://\($0)/in/x") }

    @Test(arguments: 0..<4)
    func `never crash, and never make a cookie that another site gets`(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var stored = 0
        for _ in 0..<1_500 {
            let text = field(&random)
            let server = Self.servers.randomElement(using: &random) ?? Self.servers[0]
            let storage = CookieStorage()
            storage.store(setCookieFields: [text], from: server, at: CookieWorld.start)
            stored += storage.cookies.count
            let reached = Self.others.filter {
                storage.cookieHeader(for: $0, at: CookieWorld.start) != nil
            }
            let domains = storage.cookies.map { String($0.domain.trimmingPrefix(".")) }
            let site = CanonicalHost(of: server)?.site
            let sent = storage.cookieHeader(for: server, at: CookieWorld.start) ?? ""
            let isSafe =
                reached.isEmpty && domains.allSatisfy { CanonicalHost($0)?.site == site }
                && !sent.utf8.contains { ($0 < 0x20 && $0 != 9) || $0 == 0x7F || $0 == 0x3B }
            if !isSafe {
                Issue.record("\(seed), \(server): \(text.debugDescription), \(reached)")
            }
        }
        #expect(stored > 100)
    }

    @Test(arguments: 0..<4)
    func `dates never crash and lie between the years 1601 and 9999`(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let pieces = [
            "1", "9", "31", "70", "1600", "2100", "9999", ":", "00:00:00", "23:59:59", "Jan", "feb",
            " ", "-", ",", "/", "Z", "ü", "99:99:99", "10:18",
        ]
        var read = 0
        for _ in 0..<1_000 {
            let text = (0..<8).reduce(into: "") { text, _ in
                text += (pieces.randomElement(using: &random) ?? "") + " "
            }
            guard let date = CookieDate.date(text) else { continue }
            read += 1
            if !(-11_644_473_600..<253_402_300_800).contains(date.timeIntervalSince1970) {
                Issue.record("\(seed): \(text)")
            }
        }
        #expect(read > 5)
    }
}
