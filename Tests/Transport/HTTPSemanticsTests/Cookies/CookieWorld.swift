import TestSupport

@testable import HTTPSemantics

/// A storage in memory at a fixed time.
struct CookieWorld {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    let storage: CookieStorage
    var now = start

    init(_ storage: CookieStorage = CookieStorage()) {
        self.storage = storage
    }

    static func url(_ text: String) -> URL {
        URL(string: text) ?? URL(filePath: "/")
    }

    func store(_ fields: String..., from url: String) {
        storage.store(setCookieFields: fields, from: Self.url(url), at: now)
    }

    func header(for url: String) -> String? {
        storage.cookieHeader(for: Self.url(url), at: now)
    }
}

func cookie(
    _ name: String, _ domain: String, path: String = "/", value: String = "1",
    _ more: [HTTPCookiePropertyKey: Any] = [:]
) throws -> HTTPCookie {
    let own: [HTTPCookiePropertyKey: Any] = [
        .name: name, .value: value, .domain: domain, .path: path,
    ]
    return try #require(HTTPCookie(properties: own.merging(more) { $1 }))
}
