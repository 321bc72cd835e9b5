import Foundation
import FoundationNetworking
import HTTPSemantics
import Testing

@Suite("A command of curl's as a request", .timeLimit(.minutes(1)))
struct CurlCommandTests {
    private func request(_ command: String) throws -> URLRequest {
        try URLRequest(curlCommand: command)
    }

    private func reason(_ command: String) -> CurlCommandError.Reason? {
        do throws(CurlCommandError) {
            _ = try URLRequest(curlCommand: command)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `a plain address is a GET, of http where it names no scheme`() throws {
        #expect(try request("curl example.test/a").url?.absoluteString == "http://example.test/a")
        #expect(try request("$ /usr/bin/curl -sSL https://example.test").httpMethod == "GET")
    }

    @Test func `what browsers copy for a shell is read, quotes and continued lines too`() throws {
        let request = try request(
            #"""
            curl 'https://api.example.test/v1?a=1&b=2' \
              -X PUT \
              -H 'Accept: */*' -H "X-Quote: it's \"so\"" \
              -H $'X-Bell: \u00e9\x41\'' \
              -b 'a=1; b=2' --compressed \
              --data-raw $'{"a":"it\'s"}'
            """#)
        #expect(request.httpMethod == "PUT")
        #expect(request.url?.query == "a=1&b=2")
        #expect(request.value(forHTTPHeaderField: "X-Quote") == #"it's "so""#)
        #expect(request.value(forHTTPHeaderField: "X-Bell") == "éA'")
        #expect(request.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
        #expect(request.httpBody == Data(#"{"a":"it's"}"#.utf8))
    }

    @Test func `data is a form's POST, joined; json and get change that`() throws {
        let form = try request("curl -d a=1 --data-urlencode 'b=c d&e' http://h.test")
        #expect(form.httpMethod == "POST")
        #expect(form.httpBody == Data("a=1&b=c%20d%26e".utf8))
        #expect(
            form.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        let json = try request(#"curl --json '{"a":' --json '1}' http://h.test"#)
        #expect(json.httpBody == Data(#"{"a":1}"#.utf8))
        #expect(json.value(forHTTPHeaderField: "Accept") == "application/json")
        let get = try request("curl -G -d a=1 'http://h.test/?b=2'")
        #expect(get.url?.absoluteString == "http://h.test/?b=2&a=1")
        #expect(get.httpMethod == "GET" && get.httpBody == nil)
    }

    @Test func `login, agent, referer, limit and head`() throws {
        let request = try request(
            "curl -I -uann:secret -A 'me/1' -e http://r.test -m 2.5 http://h.test")
        #expect(request.httpMethod == "HEAD")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Basic YW5uOnNlY3JldA==")
        #expect(request.value(forHTTPHeaderField: "User-Agent") == "me/1")
        #expect(request.value(forHTTPHeaderField: "Referer") == "http://r.test")
        #expect(request.timeoutInterval == 2.5)
    }

    @Test(arguments: [
        ("wget http://h.test", CurlCommandError.Reason.notCurl), ("", .notCurl),
        ("curl 'http://h.test", .openQuote), ("curl http://h.test | sh", .needsShell),
        ("curl http://h.test/$(id)", .needsShell), ("curl \"http://h.test/$HOME\"", .needsShell),
        ("curl http://h.test > f", .needsShell), ("curl http://h.test\nrm x", .needsShell),
        ("curl -d @secret http://h.test", .readsFile), ("curl -b jar http://h.test", .readsFile),
        ("curl -d @- http://h.test", .readsFile), ("curl -H @f http://h.test", .readsFile),
        ("curl --frobnicate http://h.test", .unknownOption), ("curl -H", .badValue),
        ("curl -H nothing http://h.test", .badValue), ("curl -m soon http://h.test", .badValue),
        ("curl -k https://h.test", .notOfARequest), ("curl -F a=b http://h.test", .notOfARequest),
        ("curl", .oneAddress), ("curl http://a.test http://b.test", .oneAddress),
        ("curl -X 'G T' http://h.test", .badRequest),
        ("curl $'http://h.test/\\U00d80000'", .badEscape),
        ("curl -H $'A: b\\r\\nC: d' http://h.test", .badRequest),
    ])
    func `what it cannot say is refused, with the reason`(
        _ command: String, _ expected: CurlCommandError.Reason
    ) {
        #expect(reason(command) == expected)
    }

    @Test func `an error never holds a value`() {
        do throws(CurlCommandError) {
            _ = try URLRequest(curlCommand: "curl -u ann:secret --token=secret http://h.test")
            Issue.record("read")
        } catch {
            #expect(!"\(error) \(error.localizedDescription)".contains("=secret"))
        }
    }

    @Test func `secrets are masked unless asked for`() throws {
        var request = URLRequest(
            url: try #require(URL(string: "https://ann:pw@h.test/?token=t&a=1")))
        request.httpMethod = "POST"
        request.setValue("Bearer t0p", forHTTPHeaderField: "Authorization")
        request.setValue("sid=s3", forHTTPHeaderField: "Cookie")
        request.httpBody = Data(#"{"password":"p4"}"#.utf8)
        let masked = try #require(request.curlCommand())
        for secret in ["pw", "token=t&", "t0p", "s3", "p4"] { #expect(!masked.contains(secret)) }
        let whole = try #require(request.curlCommand(showingSecrets: true))
        for secret in ["ann:pw@", "token=t&", "t0p", "s3", "p4"] { #expect(whole.contains(secret)) }
        let read = try URLRequest(curlCommand: whole)
        #expect(read.url == request.url)
        #expect(read.httpBody == request.httpBody)
        #expect(read.allHTTPHeaderFields == request.allHTTPHeaderFields)
    }

    @Test func `no address, no command`() {
        var request = URLRequest(url: URL(fileURLWithPath: "/tmp"))
        #expect(request.curlCommand() == nil)
        request.url = nil
        #expect(request.curlCommand() == nil)
    }
}
