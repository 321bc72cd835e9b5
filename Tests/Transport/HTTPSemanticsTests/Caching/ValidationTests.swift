import TestSupport

@testable import HTTPSemantics

@Suite("RFC 9111 section 4.3: validation", .timeLimit(.minutes(1)))
struct ValidationTests {
    private let origin = CacheFixture()
    private let minute = (name: "Cache-Control", value: "max-age=60")
    private let modified = (name: "Last-Modified", value: CacheFixture.modified)

    private func tag(_ value: String) -> (name: String, value: String) { ("ETag", value) }

    /// Answers the question about a stale answer with a 304 at second 100.
    private func freshen(
        with fields: CacheFixture.Fields, _ request: URLRequest = CacheFixture.request()
    ) throws -> StoredResponse? {
        let stored = try #require(origin.decide(request, at: 99).answer)
        return origin.cache.freshen(
            stored, with: CacheFixture.answer(304, fields, at: 100), to: request)
    }

    @Test
    func `4.3.1: the question repeats the stored validators as they came`() {
        let cases: [(CacheFixture.Fields, [String])] = [
            ([tag("\"a\"")], ["If-None-Match: \"a\""]),
            ([tag("W/\"a\"")], ["If-None-Match: W/\"a\""]),
            ([tag("bare")], ["If-None-Match: bare"]),
            ([modified], ["If-Modified-Since: \(CacheFixture.modified)"]),
            (
                [modified, tag("\"a\"")],
                ["If-None-Match: \"a\"", "If-Modified-Since: \(CacheFixture.modified)"]
            ),
            ([], []), ([("Last-Modified", "yesterday")], []), ([tag("")], []),
        ]
        for (validators, expected) in cases {
            origin.store([minute] + validators)
            let decision = origin.decide(at: 61)
            #expect(decision.added == expected)
            #expect(decision.word == (expected.isEmpty ? "miss" : "revalidate"))
        }
    }

    @Test(
        arguments: [
            "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range",
        ])
    func `4.3.2: a request with a condition of its own is passed through and not stored`(
        name: String
    ) {
        origin.store([minute])
        let request = CacheFixture.request("/a", with: [(name, "\"a\"")])
        #expect(origin.says(request) == "miss: the request has \(name) of its own")
        #expect(origin.store([minute], to: request, body: "new") == .ownCondition(name))
        #expect(origin.decide().text == "body")
    }

    @Test
    func `4.3.3: a whole answer to the question takes the place of the stored one`() {
        origin.store([minute, tag("\"a\"")])
        origin.store([minute, tag("\"b\"")], body: "new", at: 61)
        #expect(origin.decide(at: 62).text == "new")
        #expect(origin.decide(at: 122).added == ["If-None-Match: \"b\""])
    }

    @Test
    func `4.3.3: a server error in answer to the question leaves the stored one`() {
        origin.store([minute, tag("\"a\"")])
        #expect(origin.store([], status: 503, at: 61) == .nothingAllowsStoring(503))
        #expect(origin.decide(at: 62).text == "body")
    }

    @Test
    func `4.3.4: a 304 makes the stored answer fresh again`() throws {
        origin.store([minute, tag("\"a\""), ("Age", "50"), ("Date", CacheFixture.date)])
        let answer = try #require(
            try freshen(with: [tag("\"a\""), ("Date", "Tue, 14 Nov 2023 22:15:00 GMT")]))
        #expect(answer.status == 200 && answer.body == Data("body".utf8))
        #expect(answer.reason == .validated && answer.values("Age").isEmpty)
        #expect(origin.says(at: 130) == "hit: fresh for 30 s more")
        #expect(origin.decide(at: 130).answer?.values("Age") == ["30"])
    }

    @Test
    func `5.2.2.5: after a 304 or a HEAD's answer with no-store nothing is stored any more`() throws
    {
        let never = (name: "Cache-Control", value: "no-store, max-age=600")
        origin.store([minute, tag("\"a\"")])
        #expect(try freshen(with: [never])?.body == Data("body".utf8))
        #expect(origin.says(at: 101).hasPrefix("miss"))
        origin.store([minute, tag("\"a\"")])
        origin.store([never, tag("\"a\"")], to: CacheFixture.request("/a", "HEAD"), at: 50)
        #expect(origin.says(at: 51).hasPrefix("miss"))
    }

    @Test
    func `5.2.1.5: what a request with no-store is answered changes nothing that is stored`() throws
    {
        let request = CacheFixture.request(with: [("Cache-Control", "no-store")])
        origin.store([minute, tag("\"a\""), ("Date", CacheFixture.date)])
        let before = origin.says(at: 100)
        _ = try freshen(with: [("Cache-Control", "max-age=1000")], request)
        #expect(origin.says(at: 100) == before)
    }

    @Test
    func `a 304 or a HEAD's answer that makes a head too large takes the stored one away`() throws {
        let limit = origin.cache.memoryCapacity / 20
        let large = (name: "Y", value: String(repeating: "y", count: limit))
        origin.store([minute, tag("\"b\"")], to: CacheFixture.request("/other"))
        for isHead in [false, true] {
            origin.store([minute, tag("\"a\"")])
            if isHead {
                origin.store(
                    [minute, tag("\"a\""), large], to: CacheFixture.request("/a", "HEAD"), at: 100)
            } else {
                #expect(try freshen(with: [large])?.body == Data("body".utf8))
            }
            #expect(origin.says(at: 101) == "miss: nothing is stored")
            #expect(origin.cache.currentMemoryUsage < limit)
        }
        #expect(origin.says(CacheFixture.request("/other"), at: 1).hasPrefix("hit"))
    }

    @Test
    func `4.3.4: a 304 without a date, with its own age or a new lifetime counts as it says`()
        throws
    {
        origin.store([minute, tag("\"a\""), ("Date", CacheFixture.date)])
        _ = try freshen(with: [])
        #expect(origin.says(at: 100) == "hit: fresh for 60 s more")
        _ = try freshen(with: [("Age", "20")])
        #expect(origin.says(at: 100) == "hit: fresh for 40 s more")
        _ = try freshen(with: [("Cache-Control", "max-age=1000")])
        #expect(origin.says(at: 100) == "hit: fresh for 1000 s more")
    }

    @Test
    func `3.2: a 304 updates the fields it has, all lines of them, and keeps the rest`() throws {
        origin.store([
            minute, tag("\"a\""), ("X", "1"), ("x", "2"), ("Kept", "k"), ("Content-Type", "a/b"),
            ("Content-Length", "4"), ("Content-Encoding", "identity"), ("Content-Range", "r"),
        ])
        let answer = try #require(
            try freshen(with: [
                tag("\"a\""), ("X", "3"), ("New", "n"), ("Content-Type", "c/d"),
                ("Content-Length", "9"), ("Content-Encoding", "gzip"), ("Content-Range", "s"),
                ("Connection", "Close, Secret"), ("Secret", "s"), ("Transfer-Encoding", "x"),
            ]))
        let expected = [
            "X": ["3"], "New": ["n"], "Kept": ["k"], "Content-Type": ["c/d"],
            "Content-Length": ["4"], "Content-Encoding": ["identity"], "Content-Range": ["r"],
            "Secret": [], "Connection": [], "Transfer-Encoding": [], "ETag": ["\"a\""],
        ]
        for (name, values) in expected {
            #expect(answer.values(name) == values, "\(name)")
            #expect(origin.decide(at: 101).answer?.values(name) == values, "\(name)")
        }
    }

    @Test
    func `3.2: a 304 updates what was stored before the clock was set back`() throws {
        origin.store([minute, tag("\"a\""), ("X", "1")], at: 200)
        _ = try #require(try freshen(with: [tag("\"a\""), ("X", "2")]))
        #expect(origin.decide(at: 101).answer?.values("X") == ["2"])
        #expect(origin.decide(at: 101).word == "hit")
    }

    @Test
    func `4.3.4: the fields that a 304's Vary names select from then on`() throws {
        let french = CacheFixture.request("/a", with: [("Accept-Language", "fr")])
        origin.store([minute, tag("\"a\"")], to: french)
        _ = try freshen(with: [("Vary", "Accept-Language")], french)
        #expect(origin.decide(french, at: 101).word == "hit")
        #expect(origin.says(at: 101) == "miss: Vary on accept-language differs")
        _ = try #require(try freshen(with: [("Vary", "*")], french))
        #expect(origin.says(french, at: 101) == "miss: Vary on * differs")
    }

    @Test
    func `4.3.4: a 304 about another answer is not used, and the stored one goes`() throws {
        let cases: [(stored: CacheFixture.Fields, reported: CacheFixture.Fields)] = [
            ([tag("\"a\"")], [tag("\"b\"")]), ([tag("W/\"a\"")], [tag("W/\"b\"")]),
            ([modified], [("Last-Modified", CacheFixture.date)]),
            ([modified], [tag("\"b\""), ("Last-Modified", CacheFixture.date)]),
        ]
        for (stored, reported) in cases {
            origin.store([minute] + stored)
            #expect(try freshen(with: reported) == nil)
            #expect(origin.says(at: 101) == "miss: nothing is stored")
        }
    }

    @Test
    func `4.3.4: a strong tag updates only what was stored with it; a weak one either`() throws {
        origin.store([minute, tag("\"a\"")])
        #expect(try freshen(with: [tag("W/\"a\""), ("X", "1")])?.values("X") == ["1"])
        #expect(origin.decide(at: 101).word == "hit")
        let unchanged: [(CacheFixture.Fields, CacheFixture.Fields)] = [
            ([tag("W/\"a\"")], [tag("\"a\"")]), ([modified], [tag("\"a\""), modified]),
            ([tag("\"a\""), modified], [("Last-Modified", CacheFixture.date)]),
        ]
        for (stored, reported) in unchanged {
            origin.store([minute] + stored)
            let answer = try #require(try freshen(with: reported + [("X", "1")]))
            #expect(answer.body == Data("body".utf8) && answer.values("X").isEmpty)
            #expect(origin.decide(at: 101).word == "revalidate")
        }
    }

    @Test
    func `4.3.4: a 304 is used although the stored answer was removed meanwhile`() throws {
        origin.store([minute, tag("\"a\"")])
        let stored = try #require(origin.decide(at: 99).answer)
        origin.cache.removeAllCachedResponses()
        let answer = origin.cache.freshen(
            stored, with: CacheFixture.answer(304, [], at: 100), to: CacheFixture.request())
        #expect(answer?.body == Data("body".utf8))
        #expect(origin.says(at: 101) == "miss: nothing is stored")
    }

    @Test
    func `4.3.5: the response to a HEAD updates the stored response that it matches`() {
        let length = (name: "Content-Length", value: "4")
        let heads: [CacheFixture.Fields] = [
            [], [tag("\"a\"")], [modified], [length], [tag("\"a\""), modified, length],
        ]
        for fields in heads {
            origin.store([minute, tag("\"a\""), modified])
            origin.store(
                fields + [("X", "1")], to: CacheFixture.request("/a", "HEAD"), at: 50)
            #expect(origin.says(at: 60) == "hit: fresh for 50 s more")
            #expect(origin.decide(at: 60).answer?.values("X") == ["1"])
            #expect(origin.decide(at: 60).text == "body")
        }
    }

    @Test
    func `4.3.5: the response to a HEAD removes a stored response that it does not match`() {
        let heads: [CacheFixture.Fields] = [
            [tag("\"b\"")], [("Last-Modified", CacheFixture.date)], [("Content-Length", "5")],
            [tag("\"a\""), ("Content-Length", "5")],
        ]
        for fields in heads {
            origin.store([minute, tag("\"a\""), modified])
            origin.store(fields, to: CacheFixture.request("/a", "HEAD"), at: 50)
            #expect(origin.says(at: 60) == "miss: nothing is stored")
        }
        origin.store([minute])
        origin.store(heads[0], status: 404, to: CacheFixture.request("/a", "HEAD"), at: 50)
        #expect(origin.decide(at: 55).word == "hit")
    }
}
