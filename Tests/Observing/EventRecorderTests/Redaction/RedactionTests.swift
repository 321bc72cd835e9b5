import Foundation
import Testing

@testable import EventRecorder

@Suite("Secrets are redacted", .timeLimit(.minutes(1)))
struct RedactionTests {
    private static let addresses: [(String, String)] = [
        ("http://a/b?c=d#e", "http://a/b?c=d#e"),
        ("https://me@a/", "https://REDACTED@a/"),
        ("https://me:pa@ss@a:8/@x", "https://REDACTED@a:8/@x"),
        ("http://a/?token=x", "http://a/?token=REDACTED"),
        ("http://a/?q=1&ACCESS_TOKEN=x&r=2", "http://a/?q=1&ACCESS_TOKEN=REDACTED&r=2"),
        ("http://a/?user[password]=x", "http://a/?user[password]=REDACTED"),
        ("http://a/?user%5Bpass%77ord%5D=x", "http://a/?user%5Bpass%77ord%5D=REDACTED"),
        ("http://a/?api-key=x;y=1;z&b=2", "http://a/?api-key=REDACTED;y=1;z&b=2"),
        ("http://a/?secret=x;y&b=2", "http://a/?secret=REDACTED;REDACTED&b=2"),
        ("http://a/?signature=a/b?c==", "http://a/?signature=REDACTED"),
        ("http://a/?key=1&monkey=2&keyed=3", "http://a/?key=REDACTED&monkey=2&keyed=3"),
        ("http://a/?token", "http://a/?token"),
        ("http://a/?token=", "http://a/?token=REDACTED"),
        ("http://a/b;jsessionid=x/c;v=1", "http://a/b;jsessionid=REDACTED/c;v=1"),
        ("http://a/#access_token=x&state=1", "http://a/#access_token=REDACTED&state=1"),
        ("http://a/#/route?code=x", "http://a/#/route?code=REDACTED"),
        ("/path?password=x", "/path?password=REDACTED"),
        ("?pwd=x", "?pwd=REDACTED"),
        (
            "http://a/?next=http%3A%2F%2Fb%2F%3Ftoken%3Dx&q=1",
            "http://a/?next=http%3A%2F%2Fb%2F%3Ftoken%3DREDACTED&q=1"
        ),
        (
            "http://a/?next=http%3A%2F%2Fb%2F%3Fq%3Dx",
            "http://a/?next=http%3A%2F%2Fb%2F%3Fq%3Dx"
        ),
        ("http://a/?next=http://u:p@b/", "http://a/?next=http://REDACTED@b/"),
        ("http://a/fetch/http://u:p@b/?q=1", "http://a/fetch/http://REDACTED@b/?q=1"),
        ("//me:word@h/x", "//REDACTED@h/x"),
        ("/login?token=abc&next=http://h/", "/login?token=REDACTED&next=http://h/"),
        ("/cb?code=x&to=http://h/?q=1", "/cb?code=REDACTED&to=http://h/?q=1"),
        ("/cb;sid=x/http://h/", "/cb;sid=REDACTED/http://h/"),
    ]

    /// Only the secret changes.
    private static let nested: [(String, String)] = [
        ("?to=/get?code=x", "?to=/get?code=REDACTED"),
        ("?to=%2Fget%3fcode%3Dx&q=1", "?to=%2Fget%3fcode%3DREDACTED&q=1"),
        ("?to=%2Fget%3Fcode%3Dx%26q%3D1", "?to=%2Fget%3Fcode%3DREDACTED%26q%3D1"),
        ("?to=%252Fget%253Fcode%253Dx%2526q", "?to=%252Fget%253Fcode%253DREDACTED%2526q"),
        ("?to=//me:word@h/x", "?to=//REDACTED@h/x"),
        ("?to=%2F%2Fme%3Aword%40h%2Fx", "?to=%2F%2FREDACTED%40h%2Fx"),
        ("?state=q%3D1%26token%3Da%2Fb", "?state=q%3D1%26token%3DREDACTED"),
        ("?to=login%3Ftoken%3D", "?to=login%3Ftoken%3DREDACTED"),
        ("?to=/%C3%A4ä?pass%2577ord=x&q", "?to=/%C3%A4ä?pass%2577ord=REDACTED&q"),
        (
            "?to=http://127.0.0.1/?password[]=x&q=%zz",
            "?to=http://127.0.0.1/?password[]=REDACTED&q=%zz"
        ),
        ("/proxy/https%3A%2F%2Fh%2F%3Ftoken%3Dx", "/proxy/https%3A%2F%2Fh%2F%3Ftoken%3DREDACTED"),
        ("?q=100%25&r=a%20b%2520c/d", "?q=100%25&r=a%20b%2520c/d"),
        ("?q=%", "?q=%"), ("?q=%4", "?q=%4"), ("?q=/%3", "?q=/%3"),
        (
            "?a=http://h/?a=http://h/?a=http://h/?a=http://h/?q=x",
            "?a=http://h/?a=http://h/?a=http://h/?a=REDACTED"
        ),
    ]

    @Test(arguments: addresses + nested)
    func `in addresses`(address: String, redacted: String) {
        #expect(Redaction.address(address) == redacted)
        #expect(Redaction.address(redacted) == redacted)
    }

    /// Each of them about 36 kB.
    private static let made: [(String, Int)] = [
        ("a=http://h/?", 3000), ("://", 12_000), ("//u@", 9000), ("%25", 12_000), ("a%3D/", 7200),
        ("x", 36_000), ("x=", 18_000), ("%2525", 7200), ("token=x;", 4500), ("?#", 18_000),
    ]

    @Test(arguments: made)
    func `an answer made to be hard is redacted at once`(part: String, count: Int) {
        let start = ContinuousClock.now
        let value = "http://h/?" + String(repeating: part, count: count) + "=http://u:p@h/"
        let fields = Redaction.fields([("X-A", value)])
        #expect(fields.count == 1)
        #expect(fields.first.map { !$0.value.contains("u:p@") } ?? false)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test
    func `a text that is known is the same one, redacted or not`() {
        let redacted = EventText("GET http://h/?token=REDACTED")
        #expect(EventText("GET http://h/?token=x") == redacted)
        #expect(EventText("GET http://h/?token=y") == redacted)
        #expect(EventText(redacted.string) == redacted)
        #expect(EventText("queue.label") == EventText("queue.label"))
    }

    @Test
    func `in addresses inside texts, which otherwise stay as they are`() {
        #expect(
            EventText("GET http://u:p@a/?token=x").string == "GET http://REDACTED@a/?token=REDACTED"
        )
        #expect(
            EventText("POST /login?password=x HTTP/1.1").string
                == "POST /login?password=REDACTED HTTP/1.1")
        #expect(EventText("a  b\tc = d\n").string == "a  b\tc = d\n")
        #expect(EventText("mail@example.com").string == "mail@example.com")
        #expect(EventText("").number == 0)
        #expect(EventText("").string == "")
    }

    @Test
    func `in addresses that become texts`() throws {
        let url = try #require(URL(string: "https://me:word@a.example/?api_key=x"))
        #expect(EventText(redacting: url).string == "https://REDACTED@a.example/?api_key=REDACTED")
        #expect(
            EventText(method: "PUT", url: url).string
                == "PUT https://REDACTED@a.example/?api_key=REDACTED")
        #expect(EventText(method: nil, url: nil).string == "GET ")
    }

    @Test
    func `of a request asked for again, whatever was asked for meanwhile`() {
        let urls = (0..<3_000).compactMap { URL(string: "https://a.example/\($0 % 1_500)") }
        #expect(urls.count == 3_000)
        for (number, url) in urls.enumerated() {
            let method = number.isMultiple(of: 2) ? "GET" : "PUT"
            let text = EventText(method: method, url: url)
            #expect(text.string == "\(method) https://a.example/\(number % 1_500)")
            #expect(text == EventText(method: method, url: url))
            #expect(text == EventText(text.string))
        }
    }

    private static let headerFields: [(String, String, String)] = [
        ("Accept", "text/html;q=0.9", "text/html;q=0.9"),
        ("authorization", "Basic dTpw", "Basic REDACTED"),
        ("Authorization", "Digest username=\"u\", response=\"x\"", "Digest REDACTED"),
        ("Proxy-Authorization", "x", "REDACTED"),
        ("Proxy-Authorization", "nTLM x y", "nTLM REDACTED"),
        ("Authorization", "AWS4-HMAC-SHA256 Credential=x", "AWS4-HMAC-SHA256 REDACTED"),
        ("Authorization", "abc def", "REDACTED"),
        ("Authorization", " Basic x", "REDACTED"),
        ("X-CSRF", "x", "REDACTED"),
        ("Cookie", "a=x; b=y=z;c", "a=REDACTED; b=REDACTED; REDACTED"),
        (
            "Set-Cookie", "a=x; Path=/p; Expires=Wed, 21 Oct 2015 07:28:00 GMT; HttpOnly; secret=y",
            "a=REDACTED; Path=/p; Expires=Wed, 21 Oct 2015 07:28:00 GMT; HttpOnly; secret=REDACTED"
        ),
        ("Set-Cookie", "a=x, b=y", "a=REDACTED"),
        ("Set-Cookie", "x", "REDACTED"),
        ("WWW-Authenticate", "Digest nonce=\"n\", realm=\"r\"", "Digest nonce=\"n\", realm=\"r\""),
        ("X-Api-Key", "x", "REDACTED"),
        ("X-CSRF-Token", "x", "REDACTED"),
        ("Location", "http://u:p@a/?code=x", "http://REDACTED@a/?code=REDACTED"),
        ("Referer", "http://a/?session_id=x", "http://a/?session_id=REDACTED"),
    ]

    @Test(arguments: headerFields)
    func `in header fields`(name: String, value: String, redacted: String) {
        for value in [value, redacted] {
            let fields = Redaction.fields([(name, value)])
            #expect(fields.map(\.name) == [name])
            #expect(fields.map(\.value) == [redacted])
        }
    }

    @Test
    func `cookies that were joined in one field get one each`() {
        let joined =
            "a=x; Path=/, b=y; Expires=Wed, 21 Oct 2015 07:28:00 GMT, c=z; Secure, d=w; e=v"
        #expect(
            Redaction.fields([("Set-Cookie", joined)]).map(\.value) == [
                "a=REDACTED; Path=/", "b=REDACTED; Expires=Wed, 21 Oct 2015 07:28:00 GMT",
                "c=REDACTED; Secure", "d=REDACTED; e=REDACTED",
            ])
    }

    @Test
    func `no export has a byte of a secret`() throws {
        let secret = "hunter2"
        let url = "https://me:\(secret)@a/p;sid=\(secret)?token=\(secret)&q=1#key=\(secret)"
        let record = ExchangeRecord(
            url: url, method: "GET",
            requestHeaders: [
                ("Authorization", "Bearer \(secret)"), ("Proxy-Authorization", "Basic \(secret)"),
                ("Cookie", "a=\(secret); b=\(secret)"), ("Referer", url),
                ("X-Auth-Token", secret),
            ],
            status: 302,
            responseHeaders: [
                ("Set-Cookie", "a=\(secret); Path=/"), ("Location", url),
                ("Link", "<\(url)>; rel=next"),
            ],
            startDate: Date(), error: "Could not load \"\(url)\" (\(url)).")
        let recording = Sample.recording(
            [
                Sample.event(1, .operation, .begin, subject: 1, text: "GET \(url)"),
                Sample.event(2, .note, text: "redirected to <\(url)>, at last"),
            ], exchanges: [record])

        for data in [recording.jsonLines(), try recording.perfettoTrace(), try recording.har()] {
            let text = String(decoding: data, as: UTF8.self)
            #expect(text.contains("REDACTED"))
            #expect(!text.contains(secret))
        }
        #expect(
            !String(decoding: try JSONEncoder().encode(recording), as: UTF8.self).contains(secret))
    }
}
