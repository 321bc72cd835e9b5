import TestSupport

@testable import CurlConnection

@Suite("Hosts that go past a proxy", .timeLimit(.minutes(1)))
struct ProxyExceptionTests {
    private static let rows: [(String, matching: [String], other: [String])] = [
        (
            "example.com",
            ["http://example.com", "https://EXAMPLE.com.", "http://a.b.example.com:81"],
            ["http://notexample.com", "http://example.com.test", "http://com"]
        ),
        (
            ".example.com.", ["http://example.com", "http://a.example.com"],
            ["http://notexample.com"]
        ),
        ("*.example.com", ["http://a.example.com"], ["http://example.com", "http://xexample.com"]),
        ("localhost:81", ["http://localhost:81"], ["http://localhost", "https://localhost:443"]),
        ("localhost:443", ["https://localhost"], ["http://localhost"]),
        ("127.0.0.1", ["http://127.0.0.1:9"], ["http://127.0.0.2", "http://a.127.0.0.1.test"]),
        ("127.0.0.1:9", ["http://127.0.0.1:9"], ["http://127.0.0.1"]),
        (
            "10.0.0.0/8", ["http://10.255.0.1"],
            ["http://11.0.0.1", "http://[::1]", "http://a.test"]
        ),
        ("10.1.128.0/17", ["http://10.1.200.1"], ["http://10.1.127.1"]),
        ("0.0.0.0/0", ["http://1.2.3.4"], ["http://[::1]", "http://a.test"]),
        (
            "::1", ["http://[::1]", "http://[0:0:0:0:0:0:0:1]:8"],
            ["http://[::2]", "http://127.0.0.1"]
        ),
        ("[::1]", ["http://[::1]:8"], ["http://[::2]"]),
        ("[::1]:8", ["http://[::1]:8"], ["http://[::1]"]),
        ("fd00::/8", ["http://[fd12::3]"], ["http://[fc00::1]"]),
        ("*", ["http://a.test", "https://[::1]", "http://1.2.3.4"], []),
        ("b\u{fc}cher.test", ["http://xn--bcher-kva.test"], ["http://bucher.test"]),
    ]

    @Test func `an entry covers what it says and nothing else`() throws {
        for (entry, matching, other) in Self.rows {
            let proxy = try Proxy(.http, host: "p.test", exceptions: ["unrelated.test", entry])
            for (texts, expected) in [(matching, true), (other, false)] {
                for text in texts {
                    let url = try #require(URL(string: text))
                    let used = try ProxySetting.fixed(proxy).proxy(for: url)
                    #expect((used == nil) == expected, "\(entry) \(text)")
                }
            }
        }
    }

    @Test func `an entry that is none is an error`() {
        for entry in [
            "", ".", "*.", "a b", "a\r\n", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "fd00::/129",
            "a.test/8", "a.test:", "a.test:0", "a.test:65536", "a.test:x", "10.0.0.0/8:80", "[::1",
            "a*.test", "..a", "-1.2.3.4/-1",
        ] {
            let error = #expect(throws: ProxyError.self, "\(entry)") {
                try Proxy(.http, host: "p.test", exceptions: [entry])
            }
            #expect(error?.reason == .badException, "\(entry)")
        }
    }

    @Test func `what a setting has that is none is said once`() {
        let said = Locked<[String]>([])
        let unread = UnreadExceptions { line in said.withLock { $0.append(line) } }
        for _ in 0..<3 {
            #expect(unread.rest(of: ["10.*", "a.test", "\u{7}"], in: "no_proxy") == ["a.test"])
        }
        #expect(unread.rest(of: ["10.*"], in: "NO_PROXY").isEmpty)
        let lines = said.withLock { $0 }
        #expect(lines.count == 3)
        #expect(lines.first?.contains("no_proxy has \"10.*\"") == true)
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 } })
        for number in 0..<1_000 { _ = unread.rest(of: ["*\(number)"], in: "no_proxy") }
        #expect(said.withLock { $0.count } == 100)
    }

    @Test func `what a connection is made through does not depend on the exceptions`() throws {
        let url = try #require(URL(string: "http://a.test"))
        let plain = try Proxy(.http, host: "p.test")
        let choosy = try Proxy(.http, host: "p.test", exceptions: ["b.test"])
        #expect(try ProxySetting.fixed(choosy).proxy(for: url) == plain)
    }
}
