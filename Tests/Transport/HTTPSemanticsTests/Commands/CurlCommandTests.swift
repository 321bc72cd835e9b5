import HTTPSemantics
import TestSupport

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

    @Test func `the time for a long word grows with its length alone`() throws {
        let text = String(repeating: "a", count: 1 << 20)
        let start = ContinuousClock.now
        #expect(try request("curl -d '\(text)' http://h.test").httpBody?.count == 1 << 20)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(arguments: [
        ("curl 'http://h.test/my file%2Fa'", "http://h.test/my%20file%2Fa"),
        ("curl 'http://h.test/?q[a]=b%20c'", "http://h.test/?q%5Ba%5D=b%20c"),
        ("curl 'h.test/ü%20x'", "http://h.test/%C3%BC%20x"),
        (
            "curl -G --data-urlencode 'a=b c' 'http://h.test/[x]%20#f'",
            "http://h.test/%5Bx%5D%20?a=b%20c#f"
        ),
    ])
    func `escapes of an address stay as they are`(command: String, url: String) throws {
        #expect(try request(command).url?.absoluteString == url)
    }

    @Test(arguments: [
        ("gzip, deflate, br, zstd", nil), ("gzip, deflate, br", nil),
        ("br, gzip;q=0.5", "gzip;q=0.5"),
        ("gzip", "gzip"), ("br", "br"), ("identity", "identity"), ("zstd, *", "zstd, *"),
    ])
    func `of a browser's codings those stay that can be decoded`(
        codings: String, kept: String?
    ) throws {
        for name in ["accept-encoding", "Accept-Encoding"] {
            let read = try request("curl -H '\(name): \(codings)' --compressed http://h.test")
            #expect(read.value(forHTTPHeaderField: "Accept-Encoding") == kept)
        }
        let part = try request("curl -H 'Accept-Encoding: gzip' -H 'Range: bytes=1-' http://h.test")
        #expect(part.value(forHTTPHeaderField: "Accept-Encoding") == "gzip")
        let plain = try request(
            "curl -H 'Accept-Encoding: identity' -H 'range: bytes=1-' http://h.test")
        #expect(plain.value(forHTTPHeaderField: "Accept-Encoding") == nil)
    }

    @Test func `an Accept that is taken away is an empty field, and goes back as it came`() throws {
        let read = try request("curl -H 'Accept:' -H 'accept-encoding:' http://h.test")
        #expect(read.value(forHTTPHeaderField: "Accept") == "")
        #expect(read.value(forHTTPHeaderField: "Accept-Encoding") == "")
        let command = read.curlCommand()
        #expect(command.contains("-H 'Accept:'") && command.contains("-H 'Accept-Encoding;'"))
        let given = try request("curl -H 'Accept: a/b' -H 'Accept:' http://h.test")
        #expect(given.value(forHTTPHeaderField: "Accept") == "a/b")
        #expect(try request("curl http://h.test").value(forHTTPHeaderField: "Accept") == nil)
    }

    @Test func `a login in the address is sent, unless the command has another`() throws {
        let read = try request("curl 'http://ann%40x:p w%2F@h.test/'")
        let login = Data("ann@x:p w/".utf8).base64EncodedString()
        #expect(read.value(forHTTPHeaderField: "Authorization") == "Basic \(login)")
        let alone = try request("curl http://ann@h.test/")
        #expect(alone.value(forHTTPHeaderField: "Authorization") == "Basic YW5uOg==")
        for other in ["-u bob:b", "-H 'authorization: Basic Ym9iOmI='"] {
            let read = try request("curl http://ann:secret@h.test/ \(other)")
            #expect(read.value(forHTTPHeaderField: "Authorization") == "Basic Ym9iOmI=")
        }
        let none = try request("curl http://ann:secret@h.test/ -H 'Authorization:'")
        #expect(none.value(forHTTPHeaderField: "Authorization") == nil)
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
        let masked = request.curlCommand()
        for secret in ["pw", "token=t&", "t0p", "s3", "p4"] { #expect(!masked.contains(secret)) }
        let whole = request.curlCommand(showingSecrets: true)
        for secret in ["ann:pw@", "token=t&", "t0p", "s3", "p4"] { #expect(whole.contains(secret)) }
        let read = try URLRequest(curlCommand: whole)
        #expect(read.url == request.url)
        #expect(read.httpBody == request.httpBody)
        #expect(read.allHTTPHeaderFields == request.allHTTPHeaderFields)
    }

    @Test func `no address, no command`() {
        var request = URLRequest(url: URL(fileURLWithPath: "/tmp"))
        #expect(request.curlCommand().hasPrefix("# There is no curl command"))
        request.url = nil
        #expect(request.curlCommand().hasPrefix("# There is no curl command"))
    }
}
