import EventRecorder
import Foundation
import Testing

@Suite("Recordings as HTTP archives", .timeLimit(.minutes(1)))
struct HTTPArchiveTests {
    private func archive(_ exchanges: [ExchangeRecord]) throws -> [HTTPArchiveSchema.Entry] {
        let data = try Sample.recording([], exchanges: exchanges).har()
        let archive = try JSONDecoder().decode(HTTPArchiveSchema.self, from: data)
        #expect(archive.problems == [])
        return archive.log.entries
    }

    private static let date = Date(timeIntervalSince1970: 1_447_234_200.25)

    @Test
    func `an exchange has all that is known of it`() throws {
        let record = ExchangeRecord(
            subject: 3, url: "https://a.example/p?q=a+b%20c&token=x&flag&r=1=2&=e#f?g=h",
            method: "POST", requestHeaders: [("Host", "a.example"), ("Cookie", "s=1; t=2")],
            requestBodyBytes: 12, status: 302, statusText: "Found", httpVersion: "HTTP/1.1",
            responseHeaders: [
                ("Location", "/next"), ("Set-Cookie", "s=1; Path=/p; Domain=a.example; HttpOnly"),
                ("set-cookie", "u=2; secure"),
            ],
            responseBodyBytes: 99, mimeType: "text/html", startDate: Self.date,
            timings: .init(
                blocked: 1, dns: 2, connect: 3, ssl: 4.5, send: 0.25, wait: 10, receive: 0),
            serverAddress: "127.0.0.1", connection: "7")

        let entry = try #require(try archive([record]).first)

        #expect(entry.startedDateTime == "2015-11-11T09:30:00.250Z")
        #expect(entry.time == 20.75)
        #expect(entry.timings.connect == 7.5)
        #expect(entry.timings.ssl == 4.5)
        #expect(entry.serverIPAddress == "127.0.0.1")
        #expect(entry.connection == "7")
        #expect(entry.comment == nil)
        let request = entry.request
        #expect(request.method == "POST")
        #expect(request.url == "https://a.example/p?q=a+b%20c&token=REDACTED&flag&r=1=2&=e#f?g=h")
        #expect(
            request.queryString.map { [$0.name, $0.value] } == [
                ["q", "a b c"], ["token", "REDACTED"], ["flag", ""], ["r", "1=2"], ["", "e"],
            ])
        #expect(request.cookies.map(\.name) == ["s", "t"])
        #expect(request.cookies.map(\.value) == ["REDACTED", "REDACTED"])
        #expect(request.headers.map(\.name) == ["Host", "Cookie"])
        #expect(request.bodySize == 12)
        let response = entry.response
        #expect(response.status == 302)
        #expect(response.statusText == "Found")
        #expect(response.redirectURL == "/next")
        #expect(response.content.size == 99)
        #expect(response.content.mimeType == "text/html")
        #expect(response.bodySize == 99)
        #expect(response.cookies.map(\.name) == ["s", "u"])
        #expect(response.cookies.map(\.path) == ["/p", nil])
        #expect(response.cookies.map(\.domain) == ["a.example", nil])
        #expect(response.cookies.map(\.httpOnly) == [true, nil])
        #expect(response.cookies.map(\.secure) == [nil, true])
    }

    @Test
    func `a decoded body has its size and what was saved; one that was not coded has one size`()
        throws
    {
        func content(_ bytes: Int64?) throws -> HTTPArchiveSchema.Content {
            let record = ExchangeRecord(
                url: "http://a/", method: "GET", status: 200, responseBodyBytes: 70,
                responseContentBytes: bytes, startDate: Self.date)
            let response = try #require(try archive([record]).first).response
            #expect(response.bodySize == 70)
            return response.content
        }
        #expect(try content(361).size == 361)
        #expect(try content(361).compression == 291)
        #expect(try content(60).compression == -10)
        #expect(try content(nil).size == 70)
        #expect(try content(nil).compression == nil)
    }

    @Test(
        arguments: [
            (200, "", "OK"), (404, "", "Not Found"), (308, "", "Permanent Redirect"),
            (422, "", "Unprocessable Content"), (404, "Gone fishing", "Gone fishing"),
            (299, "", ""), (0, "", ""),
        ])
    func `a status that came without words has those of the standard`(
        status: Int, came: String, shown: String
    ) throws {
        let record = ExchangeRecord(
            url: "http://a/", method: "GET", status: status, statusText: came,
            startDate: Self.date)
        #expect(try archive([record]).first?.response.statusText == shown)
    }

    @Test
    func `what is not known is -1, but for the timings that must not be`() throws {
        let record = ExchangeRecord(url: "http://a/", method: "GET", startDate: Self.date)
        let entry = try #require(try archive([record]).first)
        #expect(entry.timings.blocked == -1)
        #expect(entry.timings.dns == -1)
        #expect(entry.timings.connect == -1)
        #expect(entry.timings.ssl == -1)
        #expect(entry.timings.wait == 0)
        #expect(entry.time == 0)
        #expect(entry.request.headersSize == -1)
    }

    @Test(arguments: [-0.5, .nan, .infinity])
    func `times that are no times are not known`(time: Double) throws {
        let record = ExchangeRecord(
            url: "http://a/", method: "GET", startDate: Self.date,
            timings: .init(
                blocked: time, dns: time, connect: time, ssl: time, send: time, wait: 2,
                receive: time))
        let entry = try #require(try archive([record]).first)
        #expect(entry.time == 2)
    }

    @Test
    func `an exchange that failed has status 0 and its error as comment`() throws {
        let record = ExchangeRecord(
            url: "http://a/", method: "GET", startDate: Self.date, error: "refused")
        let entry = try #require(try archive([record]).first)
        #expect(entry.response.status == 0)
        #expect(entry.response.bodySize == -1)
        #expect(entry.comment == "refused")
    }

    @Test
    func `exchanges are in the order of their starts`() throws {
        let records = [5.0, 1, 3].map { seconds in
            ExchangeRecord(
                url: "http://a/\(Int(seconds))", method: "GET",
                startDate: Self.date.addingTimeInterval(seconds))
        }
        #expect(
            try archive(records).map(\.request.url) == ["http://a/1", "http://a/3", "http://a/5"])
        #expect(try archive([]).isEmpty)
    }

    @Test(
        arguments: [
            "time", "cookies", "headersSize", "queryString", "redirectURL", "cache", "wait",
            "mimeType", "creator",
        ])
    func `every mandatory field is asked for by the check`(field: String) throws {
        let record = ExchangeRecord(url: "http://a/", method: "GET", startDate: Self.date)
        let data = try Sample.recording([], exchanges: [record]).har()
        let text = String(decoding: data, as: UTF8.self)
        let bad = text.replacingOccurrences(of: "\"\(field)\":", with: "\"other\":")
        #expect(bad != text)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(HTTPArchiveSchema.self, from: Data(bad.utf8))
        }
    }
}
