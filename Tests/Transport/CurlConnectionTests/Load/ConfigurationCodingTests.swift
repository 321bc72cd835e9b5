import CurlConnection
import TestSupport

@Suite("A configuration as data", .timeLimit(.minutes(1)))
struct ConfigurationCodingTests {
    private func again(_ configuration: URLConnectionConfiguration) throws
        -> URLConnectionConfiguration
    {
        try JSONDecoder().decode(
            URLConnectionConfiguration.self, from: JSONEncoder().encode(configuration))
    }

    /// What earlier versions wrote, each with less in it.
    private let written: [String: Any] = [
        "hasCookies": false, "hasCache": true, "hasCredentials": false, "redirects": 1,
        "bodyInMemory": 10, "head": 1_000, "perHost": 2, "total": 3,
        "proxy": [
            "usesEnvironment": false,
            "fixed": ["kind": "socks5h", "host": "127.0.0.1", "port": 9, "exceptions": [".here"]],
        ],
    ]

    private func read(_ values: [String: Any]) throws -> URLConnectionConfiguration {
        let data = try PropertyListSerialization.data(
            fromPropertyList: values, format: .binary, options: 0)
        return try PropertyListDecoder().decode(URLConnectionConfiguration.self, from: data)
    }

    @Test
    func `what earlier versions wrote is read`() throws {
        let old = try read(written)
        #expect(old.cookieStorage == nil && old.credentialStorage == nil)
        #expect(old.responseCache === URLConnectionConfiguration().responseCache)
        #expect(old.limits.redirects == 1 && old.limits.bodyInMemory == 10)
        #expect(old.limits.decompressionRatio == nil && old.limits.head == 1_000)
        #expect(old.httpMaximumConnectionsPerHost == 2 && old.maximumConnections == 3)
        let proxy = try Proxy(.socks5h, host: "127.0.0.1", port: 9, exceptions: [".here"])
        #expect(old.proxy == .fixed(proxy))
        var values = written
        values["connection"] = [
            "hostAddresses": ["a": ["127.0.0.1"]], "minimumTLSVersion": 13,
            "maximumSendRate": 5, "keepsMethodAfterRedirect": true,
        ]
        let later = try read(values)
        #expect(later.hostAddresses == ["a": ["127.0.0.1"]] && later.minimumTLSVersion == .tls13)
        #expect(later.maximumSendRate == 5 && later.keepsMethodAfterRedirect)
        #expect(later.decodesContent && later.connectTimeout == nil)
    }

    @Test(arguments: ["redirects", "bodyInMemory", "head", "perHost", "total", "proxy"])
    func `without a limit or its proxies nothing is read, nor with a number below zero`(
        name: String
    ) throws {
        var values = written
        values[name] = nil
        #expect(throws: (any Error).self) { try read(values) }
        values[name] = -1
        #expect(throws: (any Error).self) { try read(values) }
    }

    @Test
    func `a rate of zero, which counts as one, comes back`() throws {
        var configuration = URLConnectionConfiguration()
        configuration.maximumReceiveRate = 0
        configuration.maximumSendRate = 0
        let read = try again(configuration)
        #expect(read.maximumReceiveRate == 0 && read.maximumSendRate == 0)
    }

    @Test
    func `every proxy setting comes back, without a login that has a password`() throws {
        let plain = try Proxy(.http, host: "a.test", user: "u", exceptions: ["b.test"])
        let secret = try Proxy(.socks5, host: "c.test", user: "u", password: "hunter2")
        let bare = try Proxy(.socks5, host: "c.test")
        let settings: [(ProxySetting, ProxySetting)] = [
            (.direct, .direct), (.environment, .environment), (.fixed(plain), .fixed(plain)),
            (.fixed(secret), .fixed(bare)),
            (.byScheme(http: plain, https: secret), .byScheme(http: plain, https: bare)),
            (.byScheme(http: nil, https: plain), .byScheme(http: nil, https: plain)),
        ]
        var configuration = URLConnectionConfiguration()
        for (setting, expected) in settings {
            configuration.proxy = setting
            #expect(try again(configuration).proxy == expected)
            let text = String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)
            #expect(!text.contains("hunter2"))
        }
    }

    @Test
    func `no stores are those of the process where there were others`() throws {
        var configuration = URLConnectionConfiguration()
        configuration.cookieStorage = nil
        configuration.responseCache = nil
        configuration.credentialStorage = nil
        let none = try again(configuration)
        #expect(none.cookieStorage == nil && none.responseCache == nil)
        #expect(none.credentialStorage == nil)
    }
}
