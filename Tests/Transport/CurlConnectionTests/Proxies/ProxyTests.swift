import TestSupport

@testable import CurlConnection

@Suite("A proxy is checked when it is made", .timeLimit(.minutes(1)))
struct ProxyTests {
    @Test func `each kind is read from its scheme, with libcurl's port`() throws {
        let rows: [(String, Proxy.Kind, Int)] = [
            ("http://a.test", .http, 1_080), ("HTTPS://a.test", .https, 443),
            ("socks4://a.test", .socks4, 1_080), ("socks4a://a.test", .socks4a, 1_080),
            ("socks5://a.test", .socks5, 1_080), ("socks5h://a.test/", .socks5h, 1_080),
            ("socks://a.test", .socks4, 1_080), ("http://a.test:", .http, 1_080),
            ("http://a.test:3128", .http, 3_128), ("http://a.test:65535/", .http, 65_535),
        ]
        for (text, kind, port) in rows {
            let proxy = try Proxy(text: text)
            #expect(proxy.kind == kind, "\(text)")
            #expect(proxy.port == port, "\(text)")
            #expect(proxy.host == "a.test", "\(text)")
        }
    }

    @Test func `a host is a name in lower case or an address without brackets`() throws {
        let rows = [
            ("http://A.Test.", "a.test"), ("http://[::1]:1", "::1"),
            ("http://10.0.0.1", "10.0.0.1"),
            ("http://b\u{fc}cher.test", "xn--bcher-kva.test"),
        ]
        for (text, host) in rows {
            #expect(try Proxy(text: text).host == host)
        }
        #expect(try Proxy(.http, host: "[::1]", port: 1).description == "http://[::1]:1")
    }

    @Test func `a login is percent-decoded`() throws {
        let url = try #require(URL(string: "http://us%40er:p%25%3A%2Fw%C3%BC@a.test"))
        let proxy = try Proxy(url: url)
        #expect(proxy.user == "us@er")
        #expect(proxy.password == "p%:/w\u{fc}")
        #expect(try Proxy(text: "http://user@a.test").password == nil)
        #expect(try Proxy(text: "http://user:@a.test").password == "")
    }

    @Test func `escapes of a login are read beside letters that are none`() throws {
        let proxy = try Proxy(text: "http://u\u{fc}%40:p[%40@a.test")
        #expect(proxy.user == "u\u{fc}@")
        #expect(proxy.password == "p[@")
    }

    @Test func `what is no proxy is an error with a number`() {
        let long = String(repeating: "a", count: 256)
        let rows: [(String, ProxyError.Reason)] = [
            ("ftp://a.test", .unknownScheme), ("socks6://a.test", .unknownScheme),
            ("http://", .noHost), ("http://:80", .noHost), ("http://user@", .noHost),
            ("http://a%20b", .badHost), ("http://[fe80::1%25eth0]", .badHost),
            ("http://\(long).test", .badHost), ("http://.test", .badHost),
            ("http://a.test:0", .badPort), ("http://a.test:65536", .badPort),
            ("http://a.test:99999999999999999999", .badPort),
            ("http://us%0D%0Aer@a.test", .badLogin), ("http://user:%00@a.test", .badLogin),
            ("http://us%3Aer@a.test", .badLogin), ("http://us%FFer@a.test", .badLogin),
            ("socks5://:pass@a.test", .badLogin), ("socks5h://\(long)@a.test", .badLogin),
            ("socks5://u:\(long)@a.test", .badLogin), ("socks4://u:p@a.test", .badLogin),
            ("http://a.test/path", .notAProxyURL), ("http://a.test?q", .notAProxyURL),
            ("http://user#x@a.test", .notAProxyURL), ("http://a.test/\r\nX: y", .notAProxyURL),
            ("a.test", .notAProxyURL), ("", .notAProxyURL), ("http://a b", .notAProxyURL),
        ]
        for (text, reason) in rows {
            let error = #expect(throws: ProxyError.self, "\(text)") { try Proxy(text: text) }
            #expect(error?.reason == reason, "\(text): \(String(describing: error))")
        }
        let error = #expect(throws: ProxyError.self) { try Proxy(.http, host: "a", password: "p") }
        #expect(error?.reason == .badLogin)
    }

    @Test func `an error is a sentence under its number, without the value`() {
        let error = ProxyError(.badPort).found(in: "https_proxy") as NSError
        #expect(error.domain == "CurlConnection.proxy")
        #expect(error.code == 4)
        #expect(
            error.localizedDescription
                == "https_proxy: The proxy's port is not a number from 1 to 65535.")
    }

    @Test func `no description of a proxy shows its login`() throws {
        let proxy = try Proxy(text: "http://login:secret@a.test:1")
        let setting = ProxySetting.fixed(proxy)
        var dumped = ""
        dump(setting, to: &dumped)
        for text in ["\(proxy)", proxy.debugDescription, "\(setting)", "\([proxy])", dumped] {
            #expect(text.contains("a.test"))
            #expect(!text.contains("secret"))
            #expect(!text.contains("login"))
        }
    }

    @Test func `proxies that differ in anything a connection depends on are not equal`() throws {
        let texts = [
            "http://a.test", "http://b.test", "https://a.test:1080", "http://a.test:1",
            "http://u@a.test", "http://u:p@a.test", "http://u:q@a.test",
        ]
        var all = Set(try texts.map { try Proxy(text: $0) })
        var anchored = try Proxy(text: "http://a.test")
        anchored.anchorCertificates = []
        all.insert(anchored)
        #expect(all.count == texts.count + 1)
    }
}
