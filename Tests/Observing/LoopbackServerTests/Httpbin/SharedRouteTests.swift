import Foundation
import LoopbackServer
import Testing

@Suite("The routes that both sets share", .timeLimit(.minutes(5)))
struct SharedRouteTests {
    @Test func `both sets have them`() {
        let shown = [
            "/get", "/response-headers", "/basic-auth/USER/PASS", "/hidden-basic-auth/USER/PASS",
            "/digest-auth/QOP/USER/PASS", "/bearer", "/cookies", "/cookies/set",
            "/cookies/set/NAME/VALUE", "/cookies/delete", "/cache", "/cache/N", "/etag/TAG",
            "/redirect/N", "/relative-redirect/N", "/absolute-redirect/N", "/redirect-to",
        ]
        for routes in [Routes.standard, .httpbin] {
            #expect(Set(shown).isSubset(of: routes.catalogue.map(\.path)))
        }
    }

    @Test func `basic and bearer let their credentials pass`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let good = "Authorization: Basic " + Data("ann:pw".utf8).base64EncodedString()
            let refusal = try client.get("/basic-auth/ann/pw")
            #expect(refusal.status == 401)
            #expect(refusal.header("WWW-Authenticate") == "Basic realm=\"Fake Realm\"")
            #expect(try client.get("/basic-auth/ann/else", good).status == 401)
            let answer = try client.get("/basic-auth/ann/pw", good).text
            #expect(answer == #"{"authenticated":true,"user":"ann"}"#)
            let hidden = try client.get("/hidden-basic-auth/ann/pw")
            #expect(hidden.status == 404)
            #expect(hidden.header("WWW-Authenticate") == nil)
            #expect(try client.get("/hidden-basic-auth/ann/pw", good).status == 200)
            #expect(try client.get("/bearer").header("WWW-Authenticate") == "Bearer")
            #expect(try client.get("/bearer", good).status == 401)
            #expect(try client.get("/bearer", "Authorization: Bearer t").text.contains("\"t\""))
        }
    }

    @Test func `cookies are set, shown and deleted`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let reported = try client.get("/cookies", "Cookie: a=1; b=x=y", "Cookie: c")
            #expect(reported.text == #"{"cookies":{"a":"1","b":"x=y","c":""}}"#)
            let set = try client.get("/cookies/set?a=1&b=two+words")
            #expect(set.status == 302)
            #expect(set.header("Location") == "/cookies")
            #expect(set.head.contains("\r\nSet-Cookie: a=1; Path=/"))
            #expect(set.head.contains("\r\nSet-Cookie: b=two words; Path=/"))
            let named = try client.get("/cookies/set/a/1").header("Set-Cookie")
            #expect(named == "a=1; Path=/")
            let deleted = try client.get("/cookies/delete?a").header("Set-Cookie")
            #expect(deleted == "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/")
            #expect(try client.get("/cookies/set?a=%0D%0AX:%201").status == 400)
        }
    }

    @Test func `caching routes answer conditions`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/cache").header("Last-Modified") == ScriptedResponse.fileDate)
            #expect(try client.get("/cache", "If-None-Match: \"x\"").status == 304)
            #expect(try client.get("/cache", "If-Modified-Since: x").header("ETag") == "\"cache\"")
            let control = try client.get("/cache/60").header("Cache-Control")
            #expect(control == "public, max-age=60")
            #expect(try client.get("/cache/x").status == 404)
            #expect(try client.get("/etag/one").header("ETag") == "\"one\"")
            #expect(try client.get("/etag/one", "If-None-Match: \"z\", W/\"one\"").status == 304)
            #expect(try client.get("/etag/one", "If-None-Match: \"two\"").status == 200)
            #expect(try client.get("/etag/one", "If-Match: \"two\"").status == 412)
            #expect(try client.get("/etag/one", "If-Match: *").status == 200)
        }
    }

    @Test(arguments: [
        ("/redirect/3", "/redirect/2"), ("/relative-redirect/1", "/get"),
        ("/absolute-redirect/2", "http://t/absolute-redirect/1"), ("/redirect-to", "/get"),
        ("/redirect-to?url=http%3A%2F%2F127.0.0.2%2Fok", "http://127.0.0.2/ok"),
    ])
    func `redirects lead to their target`(path: String, target: String) throws {
        try withServer { server in
            let answer = try RawClient(port: server.port).get(path)
            #expect(answer.status == 302)
            #expect(answer.header("Location") == target)
        }
    }

    @Test func `a redirect takes its status and a header field its value from the query`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/redirect-to?url=/ok&status_code=307").status == 307)
            #expect(try client.get("/redirect-to?url=%0A").status == 400)
            let answer = try client.get("/response-headers?X-One=1&X-One=2")
            #expect(answer.text == #"{"X-One":["1","2"]}"#)
            #expect(answer.head.contains("X-One: 1\r\nX-One: 2"))
        }
    }
}
