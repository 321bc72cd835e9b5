import TestSupport

@testable import HTTPSemantics

@Suite("RFC 9111 section 3: storing", .timeLimit(.minutes(1)))
struct StoringTests {
    private let origin = CacheFixture()
    private let fresh: CacheFixture.Fields = [("Cache-Control", "max-age=60")]

    @Test(
        arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
    func `3: the answer to a method other than GET is not stored`(method: String) {
        #expect(origin.store(fresh, to: CacheFixture.request("/a", method)) == .method(method))
        #expect(origin.says() == "miss: nothing is stored")
    }

    @Test
    func `3: any final status is stored when the answer says for how long`() {
        for status in [200, 201, 203, 204, 299, 302, 307, 400, 404, 410, 499, 500, 503, 599] {
            let request = CacheFixture.request("/\(status)")
            #expect(origin.store(fresh, status: status, to: request) == .stored(freshSeconds: 60))
            #expect(origin.decide(request).answer?.status == status)
        }
    }

    @Test
    func `3: interim answers, parts, 304 and challenges are not stored`() {
        for status in [100, 101, 103, 199, 206, 304, 401, 407] {
            #expect(origin.store(fresh, status: status) == .status(status))
        }
        #expect(origin.says() == "miss: nothing is stored")
    }

    @Test
    func `3: without a word about storing, only heuristically cacheable statuses are stored`() {
        let stored = (200...599).filter {
            origin.store([], status: $0, to: CacheFixture.request("/\($0)"))
                == .stored(freshSeconds: 0)
        }
        #expect(stored == [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    }

    @Test
    func `3: public, private, Expires or max-age allow to store any other status`() {
        let permissions: CacheFixture.Fields = [
            ("Cache-Control", "public"), ("Cache-Control", "private"), ("Expires", "0"),
            ("Cache-Control", "max-age=0"),
        ]
        for field in permissions {
            #expect(origin.store([field], status: 500) == .stored(freshSeconds: 0))
        }
        for value in ["s-maxage=9", "no-cache", "must-revalidate", "extension"] {
            let reason = origin.store([("Cache-Control", value)], status: 500)
            #expect(reason == .nothingAllowsStoring(500))
        }
    }

    @Test(
        arguments: [
            "no-store", "nO-StOrE", "max-age=60, no-store", "no-store=1", "a=\"b, no-store",
        ])
    func `5.2.2.5: no-store is not stored, whatever else the answer says`(value: String) {
        let fields: CacheFixture.Fields = [("Cache-Control", value), ("Expires", "x")]
        #expect(origin.store(fields) == .answerSaysNoStore)
        #expect(origin.says() == "miss: nothing is stored")
    }

    @Test
    func `5.2.2.5: an older copy goes when the answer now says no-store`() {
        origin.store(fresh)
        origin.store([("Cache-Control", "no-store")], at: 61)
        #expect(origin.says() == "miss: nothing is stored")
    }

    @Test
    func `5.2.2.3: must-understand overrides no-store for a status that is understood`() {
        let fields = [(name: "Cache-Control", value: "max-age=60, no-store, must-understand")]
        #expect(origin.store(fields) == .stored(freshSeconds: 60))
        #expect(origin.store(fields, status: 599) == .status(599))
        #expect(origin.store(fields, status: 299) == .status(299))
    }

    @Test
    func `5.2.2.7: private is stored, since the cache is private`() {
        let reason = origin.store([("Cache-Control", "private=\"a\", max-age=60")])
        #expect(reason == .stored(freshSeconds: 60))
    }

    @Test
    func `5.2.1.5: the answer to a request with no-store is not stored`() {
        let request = CacheFixture.request("/a", with: [("Cache-Control", "no-store")])
        #expect(origin.store(fresh, to: request) == .requestSaysNoStore)
        origin.store(fresh)
        #expect(origin.says(request) == "hit: fresh for 59 s more")
    }

    @Test
    func `3.1: fields of one connection or one proxy are not stored`() throws {
        let names = [
            "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "TE", "Upgrade",
            "Proxy-Authorization", "Proxy-Connection", "Transfer-Encoding", "A", "b",
        ]
        origin.store(
            fresh + [("Connection", "a, close"), ("connection", "B")] + names.map { ($0, "x") }
                + [("C", "1"), ("Set-Cookie", "k=v"), ("C", "2")])
        let answer = try #require(origin.decide().answer)
        #expect(
            answer.fields.map { "\($0.name): \($0.value)" } == [
                "Cache-Control: max-age=60", "C: 1", "Set-Cookie: k=v", "C: 2",
                "Date: \(CacheFixture.date)", "Age: 1",
            ])
    }

    @Test
    func `3.3: an answer that ended early or late is not stored as a whole one`() {
        for length in ["5", "3", "-4", "4x"] {
            let reason = origin.store(fresh + [("Content-Length", length)])
            #expect(reason == .incomplete, "\(length)")
        }
        let doubled = [(name: "Content-Length", value: "4"), (name: "Content-Length", value: "5")]
        #expect(origin.store(fresh + doubled) == .incomplete)
        #expect(origin.store(fresh + [("Content-Length", "4")]) == .stored(freshSeconds: 60))
    }

    @Test
    func `3.3: the length of an encoded body does not count the decoded one`() throws {
        let fields = fresh + [("Content-Length", "2"), ("Content-Encoding", "gzip")]
        origin.exchange(CacheFixture.answer(200, fields, isDecoded: true))
        let answer = try #require(origin.decide().answer)
        #expect(answer.isDecoded && answer.body == Data("body".utf8))
        #expect(answer.values("Content-Encoding") == ["gzip"])
    }

    @Test
    func `3.3: a recording that is cancelled stores nothing`() throws {
        let recording = try #require(
            origin.cache.record(CacheFixture.answer(200, fresh), to: CacheFixture.request())
                .recording)
        recording.cancel()
        #expect(recording.proposal(for: CacheFixture.response()) == nil)
        #expect(recording.finish(nil, as: nil) == .cancelled)
        #expect(origin.says() == "miss: nothing is stored")
    }

    @Test
    func `3.4: parts are neither stored nor answered from what is stored`() {
        origin.store(fresh)
        let request = CacheFixture.request("/a", with: [("Range", "bytes=0-1")])
        #expect(origin.says(request) == "miss: the request has Range of its own")
        #expect(origin.store(fresh, status: 206, to: request) == .ownCondition("Range"))
        #expect(origin.decide().text == "body")
    }

    @Test
    func `3.5: an answer to one credential is never given to another`() {
        func request(_ credential: String?) -> URLRequest {
            CacheFixture.request("/a", with: credential.map { [("Authorization", $0)] } ?? [])
        }
        origin.store(fresh, to: request("Basic YTpi"), body: "a's")
        #expect(origin.decide(request("Basic YTpi")).text == "a's")
        for other in [nil, "Basic YTpj", "Basic", ""] {
            #expect(origin.says(request(other)) == "miss: it was stored for another credential")
        }
        origin.store(fresh, to: request(nil), body: "anyone's")
        #expect(origin.decide(request(nil)).text == "anyone's")
        #expect(origin.decide(request("Basic YTpi")).text == "a's")
        #expect(origin.decide(request("Basic YTpj")).text == nil)
    }

    @Test
    func `3.5: a credential in the URL counts too`() {
        origin.store(fresh, to: CacheFixture.request("http://a:b@h.test/a"), body: "a's")
        #expect(origin.decide(CacheFixture.request("http://a:b@h.test/a")).text == "a's")
        #expect(origin.decide(CacheFixture.request("http://a:c@h.test/a")).text == nil)
        #expect(origin.decide(CacheFixture.request("http://h.test/a")).text == nil)
    }

    @Test(
        arguments: [
            "*", "*, *", ", *", "*, Foo", "Foo, *",
        ])
    func `4.1: Vary: * is not stored, since it would suit no request`(value: String) {
        #expect(origin.store(fresh + [("Vary", value)]) == .variesAlways)
        #expect(origin.store(fresh + [("Vary", "a"), ("Vary", value)]) == .variesAlways)
    }

    @Test
    func `4.1: a response that varies on too many fields is not stored`() throws {
        func vary(_ count: Int) -> [(name: String, value: String)] {
            let names = (0..<count).map { "x-\($0)" }
            return fresh + [("Vary", (names + names).joined(separator: ","))]
        }
        #expect(origin.store(vary(32)) == .stored(freshSeconds: 60))
        #expect(origin.says() == "hit: fresh for 59 s more")
        #expect(origin.store(vary(33)) == .variesOnTooMany)
        #expect(origin.store(vary(50_000)) == .variesOnTooMany)
        // A 304 that makes it so leaves nothing that suits a request
        origin.store([("ETag", "\"1\""), ("Cache-Control", "max-age=60")])
        let stored = try #require(origin.decide().answer)
        _ = origin.cache.freshen(
            stored, with: CacheFixture.answer(304, vary(33) + [("ETag", "\"1\"")]),
            to: CacheFixture.request())
        #expect(origin.decide().answer == nil)
    }

    @Test
    func `many names are counted, not compared: ten thousand lines cost no more than they weigh`()
        throws
    {
        let lines = (0..<10_000).map { (name: "Vary", value: "a\($0), b\($0), c\($0)") }
        let start = ContinuousClock.now
        for _ in 0..<5 { #expect(origin.store(fresh + lines) == .variesOnTooMany) }
        for _ in 0..<50 { _ = origin.says() }
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test
    func `a request with a body, and one that is not HTTP, passes by the cache`() {
        origin.store(fresh)
        var request = CacheFixture.request()
        request.httpBody = Data("q".utf8)
        #expect(origin.says(request) == "miss: the request has a body")
        #expect(origin.store(fresh, to: request) == .body)
        let file = CacheFixture.request("ftp://h.test/a")
        #expect(origin.says(file) == "miss: neither http nor https")
        #expect(origin.store(fresh, to: file) == .notHTTP)
    }
}
