import TestSupport

@testable import CurlConnection

@Suite("Where a load goes through", .timeLimit(.minutes(1)))
struct ProxySettingTests {
    private func used(
        _ text: String, _ environment: [String: String], _ setting: ProxySetting = .environment
    ) throws -> String? {
        let url = try #require(URL(string: text))
        return try setting.proxy(for: url, environment: environment)?.description
    }

    @Test func `R64 the environment counts only where it was asked for`() throws {
        let all = ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"]
        let environment = Dictionary(uniqueKeysWithValues: all.map { ($0, "http://dead.test:9") })
        #expect(try used("http://a.test", environment, .direct) == nil)
        #expect(try used("https://a.test", environment, .direct) == nil)
        let fixed = ProxySetting.fixed(try Proxy(.http, host: "p.test"))
        let other = environment.merging(["no_proxy": "*"]) { $1 }
        #expect(try used("http://a.test", other, fixed) == "http://p.test:1080")
    }

    @Test func `the environment is read as libcurl reads it`() throws {
        let rows: [([String: String], http: String?, https: String?)] = [
            ([:], nil, nil),
            (["http_proxy": "p.test:8"], "http://p.test:8", nil),
            (["HTTP_PROXY": "p.test:8"], nil, nil),
            (["https_proxy": "p.test"], nil, "http://p.test:1080"),
            (["HTTPS_PROXY": "https://p.test"], nil, "https://p.test:443"),
            (["https_proxy": "a.test:1", "HTTPS_PROXY": "b.test:1"], nil, "http://a.test:1"),
            (["ALL_PROXY": "socks5h://p.test"], "socks5h://p.test:1080", "socks5h://p.test:1080"),
            (
                ["all_proxy": "a.test:1", "ALL_PROXY": "b.test:1", "http_proxy": "c.test:1"],
                "http://c.test:1", "http://a.test:1"
            ),
            (
                ["http_proxy": "", "all_proxy": "u:p@p.test:8"], "http://p.test:8",
                "http://p.test:8"
            ),
            (["all_proxy": "p.test", "no_proxy": "b.test, .host.test"], nil, nil),
            (["all_proxy": "p.test", "NO_PROXY": "b.test host.test"], nil, nil),
            (
                ["all_proxy": "p.test", "no_proxy": "b.test", "NO_PROXY": "*"],
                "http://p.test:1080",
                "http://p.test:1080"
            ),
            (["all_proxy": "p.test", "no_proxy": "*"], nil, nil),
        ]
        for (environment, http, https) in rows {
            #expect(try used("http://a.host.test/", environment) == http, "\(environment)")
            #expect(try used("https://a.host.test/", environment) == https, "\(environment)")
        }
    }

    @Test func `a variable that cannot be read is an error that names it, not silence`() {
        let rows: [([String: String], ProxyError.Reason, String)] = [
            (["http_proxy": "ftp://secret.test"], .unknownScheme, "http_proxy"),
            (["all_proxy": "http://a.test:x"], .notAProxyURL, "all_proxy"),
        ]
        for (environment, reason, name) in rows {
            let error = #expect(throws: ProxyError.self) {
                try used("http://host.test", environment)
            }
            #expect(error == ProxyError(reason, in: name))
        }
    }

    @Test(arguments: ["no_proxy", "NO_PROXY"])
    func `an entry of no_proxy that is none matches nothing, and the others count`(
        name: String
    ) throws {
        let entries = [
            "10.*", "127.0.0.*", "*.*", "*x", "<local>", "localhost:*", "localhost:", "localhost:0",
            "localhost:70000", "localhost:x", "10.0.0.0/33", "10.0.0.0/x", "10/8", "fd00::/129",
            "[::1", "::1]", "[]", ".", "*.", "..", "a..b", "http://a.test/", "/", "%", "a_b*",
            "a%20",
            "10.0.0.0/8:80", "\u{7}", "169.254/16", ":80", "@", "\\",
        ]
        let open = [
            "http://10.1.2.3", "http://127.0.0.5", "http://localhost:70", "http://[::1]",
            "http://a.test", "http://b",
        ]
        for entry in entries {
            for list in ["\(entry),name.localhost", "name.localhost \(entry)", entry] {
                let environment = ["http_proxy": "p.test:8", name: list]
                for url in open {
                    #expect(try used(url, environment) == "http://p.test:8", "\(list) \(url)")
                }
                let direct = try used("http://name.localhost:9", environment)
                #expect((direct == nil) == (list != entry), "\(list)")
            }
        }
    }

    @Test func `an entry of a dictionary's exceptions that is none matches nothing`() throws {
        let setting = try ProxySetting(connectionProxyDictionary: [
            "HTTPEnable": 1, "HTTPProxy": "a.test",
            "ExceptionsList": ["*.local", "169.254/16", "<local>", "", "b.test"],
        ])
        #expect(try used("http://x.local", [:], setting) == nil)
        #expect(try used("http://b.test", [:], setting) == nil)
        #expect(try used("http://169.254.1.1", [:], setting) == "http://a.test:80")
    }

    @Test func `a SOCKS proxy is not given a name it cannot carry`() throws {
        let label = String(repeating: "a", count: 63)
        let url = try #require(URL(string: "http://\(label).\(label).\(label).\(label).\(label)/"))
        for kind in Proxy.Kind.allCases {
            let setting = ProxySetting.fixed(try Proxy(kind, host: "p.test"))
            if kind.isHTTP {
                #expect(try setting.proxy(for: url) != nil)
            } else {
                #expect(throws: ProxyError(.hostTooLong)) { try setting.proxy(for: url) }
            }
        }
    }

    @Test func `CFNetwork's dictionary is read with its own ports`() throws {
        let setting = try ProxySetting(connectionProxyDictionary: [
            "HTTPEnable": true, "HTTPProxy": "a.test", "HTTPSEnable": NSNumber(value: 1),
            "HTTPSProxy": "b.test", "HTTPSPort": 8_443, "SOCKSEnable": 1, "SOCKSProxy": "c.test",
            "ExceptionsList": ["*.local"], "kCFProxyUsernameKey": "u", "kCFProxyPasswordKey": "p",
            "ProxyAutoConfigEnable": 0,
        ])
        #expect(try used("http://x.test", [:], setting) == "http://a.test:80")
        #expect(try used("https://x.test", [:], setting) == "http://b.test:8443")
        #expect(try used("https://x.local", [:], setting) == nil)
        guard case .byScheme(let http?, _?) = setting else {
            Issue.record("\(setting)")
            return
        }
        #expect(http.user == "u")
        #expect(http.password == "p")
        let socks = try ProxySetting(connectionProxyDictionary: [
            "SOCKSEnable": 1, "SOCKSProxy": "c.test", "HTTPEnable": 0, "HTTPProxy": "a.test",
        ])
        #expect(try used("https://x.test", [:], socks) == "socks5h://c.test:1080")
        #expect(try ProxySetting(connectionProxyDictionary: [:]) == .direct)
    }

    @Test func `a dictionary that cannot be read is an error that names the key`() {
        let rows: [([String: Any], ProxyError)] = [
            (["HTTPEnable": "yes"], ProxyError(.badValue, in: "HTTPEnable")),
            (["HTTPEnable": 1], ProxyError(.noHost, in: "HTTPProxy")),
            (
                ["SOCKSEnable": 1, "SOCKSProxy": "a", "SOCKSPort": "1080"],
                ProxyError(.badValue, in: "SOCKSPort")
            ),
            (
                ["HTTPSEnable": 1, "HTTPSProxy": "a", "ExceptionsList": "b"],
                ProxyError(.badValue, in: "ExceptionsList")
            ),
        ]
        for (dictionary, expected) in rows {
            #expect(throws: expected) { try ProxySetting(connectionProxyDictionary: dictionary) }
        }
    }
}
