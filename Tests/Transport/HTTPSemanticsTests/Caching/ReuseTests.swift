import TestSupport

@testable import HTTPSemantics

@Suite("RFC 9111 sections 4 and 5: reusing", .timeLimit(.minutes(1)))
struct ReuseTests {
    private let origin = CacheFixture()
    private let tag = (name: "ETag", value: "\"a\"")

    private func asking(_ control: String, _ more: CacheFixture.Fields = []) -> URLRequest {
        CacheFixture.request("/a", with: [("Cache-Control", control)] + more)
    }

    private func minute(_ more: String = "") -> CacheFixture.Fields {
        [("Cache-Control", "max-age=60" + more), tag]
    }

    // MARK: 4 Constructing responses

    @Test
    func `2: the whole URL without its fragment is the key`() {
        let stored = "http://h.test/a?x=1"
        origin.store(minute(), to: CacheFixture.request(stored))
        for same in ["HTTP://H.test/a?x=1", "http://h.test:80/a?x=1", stored + "#part"] {
            #expect(origin.decide(CacheFixture.request(same)).word == "hit", "\(same)")
        }
        let others = [
            "http://h.test/a", "http://h.test/a?x=2", "http://h.test/A?x=1", "http://h.test/a?x=1&",
            "https://h.test/a?x=1", "http://h.test:81/a?x=1", "http://i.test/a?x=1",
            "http://h.test/a/?x=1", "http://h.test/a?x=%31",
        ]
        for other in others {
            #expect(
                origin.says(CacheFixture.request(other)) == "miss: nothing is stored", "\(other)")
        }
        origin.store(minute(), to: CacheFixture.request("http://h.test"))
        #expect(origin.decide(CacheFixture.request("http://h.test/")).word == "hit")
    }

    @Test
    func `4: a HEAD is answered by a stored GET, without its body`() {
        origin.store(minute())
        let decision = origin.decide(CacheFixture.request("/a", "HEAD"))
        #expect(decision.word == "hit" && decision.text == "")
        #expect(decision.answer?.values("ETag") == ["\"a\""])
        let late = origin.decide(CacheFixture.request("/a", "HEAD"), at: 61)
        #expect(late.description == "miss: stale for 1 s" && late.added.isEmpty)
    }

    @Test(arguments: ["POST", "OPTIONS"])
    func `4: other methods are never answered from the cache`(method: String) {
        origin.store(minute())
        #expect(origin.says(CacheFixture.request("/a", method)) == "miss: the method is \(method)")
    }

    @Test
    func `4: a newer answer takes the place of the older`() {
        origin.store(minute(), body: "old")
        origin.store(minute(), body: "new", at: 5)
        #expect(origin.decide(at: 6).text == "new")
    }

    @Test
    func `4.1: an answer suits a request whose named fields are the same`() {
        func request(_ fields: CacheFixture.Fields) -> URLRequest {
            CacheFixture.request("/a", with: fields)
        }
        let french = (name: "Accept-Language", value: "fr, en")
        let varied = minute() + [("Vary", "Accept-Language , X"), ("Vary", "y")]
        origin.store(varied, to: request([french]))
        #expect(origin.decide(request([french])).word == "hit")
        #expect(origin.decide(request([french, ("Accept", "z")])).word == "hit")
        #expect(origin.decide(request([("accept-language", "fr,en")])).word == "hit")
        let others: [(CacheFixture.Fields, String)] = [
            ([("Accept-Language", "de")], "accept-language"), ([], "accept-language"),
            ([french, ("X", "1")], "x"), ([french, ("Y", "")], "y"),
            ([("Accept-Language", "en, fr")], "accept-language"),
        ]
        for (fields, name) in others {
            #expect(origin.says(request(fields)) == "miss: Vary on \(name) differs")
        }
        origin.store(minute() + [("Vary", "Accept-Language")], to: request([]), body: "none")
        #expect(origin.decide(request([])).text == "none")
    }

    @Test
    func `4.1: white space inside a quoted string is not normalised away`() {
        let quoted = CacheFixture.request("/a", with: [("X", "\"a, b\"")])
        origin.store(minute() + [("Vary", "X")], to: quoted)
        #expect(origin.decide(quoted).word == "hit")
        #expect(origin.decide(CacheFixture.request("/a", with: [("X", "\"a,b\"")])).word == "miss")
    }

    @Test
    func `4.1: several variants of one URL are kept, and each replaces its own`() {
        func request(_ language: String) -> URLRequest {
            CacheFixture.request("/a", with: [("Accept-Language", language)])
        }
        let varied = minute() + [("Vary", "Accept-Language")]
        for language in ["de", "fr", "en", "fr"] {
            origin.store(varied, to: request(language), body: language)
        }
        origin.store(varied, to: request("fr"), body: "fr again", at: 2)
        #expect(origin.decide(request("de"), at: 3).text == "de")
        #expect(origin.decide(request("fr"), at: 3).text == "fr again")
        #expect(origin.decide(request("en"), at: 3).text == "en")
    }

    @Test
    func `4.1: an answer that names its fields is preferred to a newer one that does not`() {
        let french = CacheFixture.request("/a", with: [("Accept-Language", "fr")])
        origin.store(minute() + [("Vary", "Accept-Language")], to: french, body: "fr")
        origin.store(minute(), to: CacheFixture.request(), body: "any", at: 1)
        #expect(origin.decide(french, at: 2).text == "fr")
        #expect(origin.decide(at: 2).text == "any")
    }

    // MARK: 4.2.4 Serving stale

    @Test
    func `4.2.4: a stale answer is not served when nothing allows it`() {
        origin.store(minute())
        #expect(origin.says(at: 61) == "revalidate: stale for 1 s")
    }

    @Test(
        arguments: ["must-revalidate", "no-cache", "no-cache=\"Set-Cookie\"", "Must-Revalidate"])
    func `4.2.4: must-revalidate and no-cache forbid to serve stale, whatever the request allows`(
        directive: String
    ) {
        origin.store(minute(", " + directive))
        #expect(origin.decide(asking("max-stale"), at: 61).word == "revalidate")
    }

    // MARK: 5.2.1 Request directives

    @Test
    func `5.2.1.1: max-age asks for an answer that is not older`() {
        origin.store(minute())
        #expect(origin.says(asking("max-age=5"), at: 5) == "hit: fresh for 55 s more")
        let over = "revalidate: its age of 6 s is over the request's max-age"
        #expect(origin.says(asking("max-age=5"), at: 6) == over)
        for value in ["max-age=0", "max-age", "max-age=x", "max-age=9, max-age=8"] {
            #expect(origin.decide(asking(value), at: 1).word == "revalidate", "\(value)")
        }
        #expect(origin.decide(asking("max-age=5, max-stale"), at: 6).word == "revalidate")
    }

    @Test
    func `5.2.1.2: max-stale allows so much staleness, or any`() {
        origin.store(minute())
        let five = asking("max-stale=5")
        #expect(origin.says(five, at: 65) == "hit: stale for 5 s, which max-stale allows")
        #expect(origin.says(five, at: 66) == "revalidate: stale for 6 s")
        #expect(origin.decide(asking("max-stale"), at: 9999).word == "hit")
        #expect(origin.decide(asking("max-stale=x"), at: 61).word == "revalidate")
        #expect(origin.decide(asking("max-stale, max-stale=1"), at: 65).word == "revalidate")
        #expect(origin.decide(five, at: 65).answer?.values("Age") == ["65"])
    }

    @Test
    func `5.2.1.3: min-fresh asks for an answer that stays fresh so long`() {
        origin.store(minute())
        #expect(origin.says(asking("min-fresh=50"), at: 10) == "hit: fresh for 50 s more")
        #expect(
            origin.says(asking("min-fresh=50"), at: 11)
                == "revalidate: fresh for 49 s more, less than the request's min-fresh")
        #expect(origin.decide(asking("min-fresh=x")).word == "revalidate")
        #expect(origin.decide(asking("min-fresh=1, max-stale"), at: 61).word == "revalidate")
    }

    @Test
    func `5.2.1.4: no-cache asks for validation, of a fresh answer too`() {
        origin.store(minute())
        #expect(origin.says(asking("no-cache")) == "revalidate: no-cache in the request")
        #expect(origin.decide(asking("No-Cache")).added == ["If-None-Match: \"a\""])
        origin.store([("Cache-Control", "max-age=60")], at: 1)
        #expect(
            origin.says(asking("no-cache"), at: 2)
                == "miss: no-cache in the request, and it has no validator")
    }

    @Test
    func `5.4: Pragma: no-cache counts where there is no Cache-Control`() {
        origin.store(minute() + [("Pragma", "no-cache")])
        let pragma = (name: "Pragma", value: "no-cache")
        #expect(origin.decide(CacheFixture.request("/a", with: [pragma])).word == "revalidate")
        #expect(origin.decide(asking("max-age=9", [pragma])).word == "hit")
        #expect(origin.decide(CacheFixture.request("/a", with: [("Pragma", "x")])).word == "hit")
    }

    @Test
    func `5.2.1.7: only-if-cached fails instead of asking the server`() throws {
        let request = asking("only-if-cached")
        let failure = "fail: only-if-cached, and nothing stored will do"
        #expect(origin.says(request) == failure)
        origin.store(minute())
        #expect(origin.decide(request).word == "hit")
        #expect(origin.says(request, at: 61) == failure)
        #expect(origin.decide(asking("only-if-cached, max-stale"), at: 61).word == "hit")
        #expect(origin.says(asking("only-if-cached", [("Range", "bytes=0-")])) == failure)
        guard case .fail(let error) = origin.decide(request, at: 61).outcome else {
            Issue.record("It should fail.")
            return
        }
        #expect(error.code == .resourceUnavailable)
        #expect(error.failingURL == request.url)
    }

    // MARK: 5.2.2 Response directives

    @Test
    func `5.2.2.2: a fresh answer with must-revalidate is served`() {
        origin.store(minute(", must-revalidate"))
        #expect(origin.decide().word == "hit")
        #expect(origin.says(at: 61) == "revalidate: stale for 1 s")
    }

    @Test(
        arguments: ["no-cache", "No-CaChE", "no-cache=\"a, b\"", "no-cache=a"])
    func `5.2.2.4: no-cache, with names or without, asks for validation each time`(
        directive: String
    ) {
        origin.store(minute(", " + directive) + [("Expires", "Thu, 18 Aug 2050 02:01:18 GMT")])
        #expect(origin.says() == "revalidate: no-cache in the answer")
    }

    @Test
    func `5.2.2.8, 5.2.2.10: what speaks to shared caches does not count here`() {
        origin.store(minute(", proxy-revalidate, s-maxage=0"))
        #expect(origin.decide().word == "hit")
        #expect(origin.decide(asking("max-stale"), at: 61).word == "hit")
    }

    @Test
    func `5.2.3: directives that are not known are ignored`() {
        origin.store(minute(", community=\"x, no-cache\", immutable"))
        #expect(origin.decide(asking("no-transform, x=1")).word == "hit")
        #expect(origin.decide(at: 61).word == "revalidate")
    }
}
