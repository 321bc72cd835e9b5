import TestSupport

@testable import HTTPSemantics

@Suite("RFC 9111 section 4.2: freshness", .timeLimit(.minutes(1)))
struct FreshnessTests {
    private func lifetime(_ fields: CacheFixture.Fields, status: Int = 200) throws -> Int {
        let origin = CacheFixture()
        guard case .stored(let seconds) = origin.store(fields, status: status) else { return -1 }
        return seconds
    }

    /// The age at the moment of arrival.
    private func age(
        _ fields: CacheFixture.Fields, delay: TimeInterval = 0, after seconds: TimeInterval = 0
    ) throws -> String? {
        let origin = CacheFixture()
        origin.exchange(
            CacheFixture.answer(
                200, fields + [("Cache-Control", "max-age=4294967296")], delay: delay))
        let request = CacheFixture.request("/a", policy: .returnCacheDataElseLoad)
        return origin.decide(request, at: seconds).answer?.values("Age").first
    }

    @Test
    func `4.2: an answer is fresh while its lifetime is over its age, and not when they are equal`()
        throws
    {
        let origin = CacheFixture()
        origin.store([("Cache-Control", "max-age=10")])
        #expect(origin.says(at: 0) == "hit: fresh for 10 s more")
        #expect(origin.says(at: 9.5) == "hit: fresh for 0 s more")
        #expect(origin.says(at: 10) == "miss: stale for 0 s, and it has no validator")
        #expect(origin.says(at: 12) == "miss: stale for 2 s, and it has no validator")
    }

    @Test
    func `4.2: what was stored later than now is confirmed`() throws {
        let origin = CacheFixture()
        origin.store([("Cache-Control", "max-age=10"), ("ETag", "\"a\"")])
        #expect(origin.says(at: -1) == "revalidate: it was stored later than now")
    }

    @Test
    func `4.2.1: max-age counts before Expires, and that before the heuristic`() throws {
        let future = (name: "Expires", value: "Tue, 14 Nov 2023 22:15:00 GMT")
        let past = (name: "Expires", value: "Tue, 14 Nov 2023 22:13:19 GMT")
        let maxAge = (name: "Cache-Control", value: "max-age=60")
        let zero = (name: "Cache-Control", value: "max-age=0")
        let modified = (name: "Last-Modified", value: CacheFixture.modified)
        let date = (name: "Date", value: CacheFixture.date)
        #expect(try lifetime([date, maxAge, future, modified]) == 60)
        #expect(try lifetime([date, maxAge, past]) == 60)
        #expect(try lifetime([date, maxAge, (name: "Expires", value: "0")]) == 60)
        #expect(try lifetime([date, zero, future, modified]) == 0)
        #expect(try lifetime([date, future, modified]) == 100)
        #expect(try lifetime([date, past, modified]) == 0)
        #expect(try lifetime([date, modified]) == 3600)
        #expect(try lifetime([date]) == 0)
        // A private cache is not the one s-maxage speaks to.
        let shared = (name: "Cache-Control", value: "s-maxage=1")
        #expect(try lifetime([date, shared, maxAge]) == 60)
        #expect(try lifetime([date, maxAge, shared]) == 60)
    }

    @Test(
        arguments: [
            "max-age", "max-age=", "max-age=-1", "max-age=60.0", "max-age='60'", "max-age=a60",
            "max-age=60a", "max-age= 60", "max-age=60, max-age=61", "max-age=60, max-age",
        ])
    func `4.2.1: what cannot be read, and two numbers that differ, count as stale`(value: String)
        throws
    {
        let modified = (name: "Last-Modified", value: CacheFixture.modified)
        #expect(try lifetime([("Cache-Control", value), modified]) == 0)
    }

    @Test(
        arguments: [
            "max-age=60", "MaX-AgE=60", "max-age=\"60\"", "max-age=0060", "max-age=60, max-age=60",
            "a=\"max-age=9\", max-age=60", "max-age=60, a=\"b, max-age=9\"", ", ,max-age=60,,",
            "extension, max-age=60", "private=\"x\",max-age=60",
        ])
    func `4.2.1: max-age is read in each form that means sixty seconds`(value: String) throws {
        #expect(try lifetime([("Cache-Control", value)]) == 60)
    }

    @Test
    func `1.2.2: a number too large to hold counts as 2^31`() throws {
        for value in ["2147483648", "2147483649", "99999999999", "99999999999999999999999"] {
            #expect(try lifetime([("Cache-Control", "max-age=\(value)")]) == 1 << 31)
        }
        #expect(try lifetime([("Cache-Control", "max-age=2147483647")]) == 2_147_483_647)
        for value in ["2147483647", "2147483648", "99999999999999999999999"] {
            let origin = CacheFixture()
            let reason = origin.store([("Cache-Control", "max-age=3600"), ("Age", value)])
            #expect(reason == .stored(freshSeconds: 0))
        }
    }

    @Test(
        arguments: [
            "0", "-1", "", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
            "Thu, 18 Aug 50 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT",
            "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
            "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT",
            "Thu, 31 Jun 2050 02:01:18 GMT", "Thu, 18 Aug 2050 24:01:18 GMT",
        ])
    func `5.3: an Expires that is not exactly a date is in the past`(value: String) throws {
        #expect(try lifetime([("Expires", value), ("Last-Modified", CacheFixture.modified)]) == 0)
    }

    @Test
    func `5.3: two Expires that differ are none; with a broken Date the arrival counts`() throws {
        let late = (name: "Expires", value: "Tue, 14 Nov 2023 22:15:00 GMT")
        let later = (name: "Expires", value: "Tue, 14 Nov 2023 22:16:00 GMT")
        #expect(try lifetime([late, later]) == 0)
        #expect(try lifetime([late, late]) == 100)
        #expect(try lifetime([late, ("Date", "then")]) == 100)
        #expect(try lifetime([late, ("Date", "Tue, 14 Nov 2023 22:14:00 GMT")]) == 60)
    }

    @Test
    func `4.2.2: the heuristic is a tenth of the time since the change, a day at most`() throws {
        func lifetime(_ modified: String, _ control: String = "", _ status: Int = 200) throws -> Int
        {
            try self.lifetime(
                [("Last-Modified", modified), ("Cache-Control", control)], status: status)
        }
        #expect(try lifetime("Tue, 14 Nov 2023 22:11:40 GMT") == 10)
        #expect(try lifetime("Fri, 14 Nov 2003 22:11:40 GMT") == 86_400)
        #expect(try lifetime("Tue, 14 Nov 2023 23:11:40 GMT") == 0)
        #expect(try lifetime("yesterday") == 0)
        #expect(try lifetime(CacheFixture.modified, "private", 500) == 0)
        #expect(try lifetime(CacheFixture.modified, "public", 500) == 3600)
        #expect(try lifetime(CacheFixture.modified, "", 404) == 3600)
        #expect(try lifetime(CacheFixture.modified, "max-age=7") == 7)
    }

    @Test
    func `4.2.3: the age is the larger of the apparent one and the Age field, and grows`() throws {
        let minuteAgo = (name: "Date", value: "Tue, 14 Nov 2023 22:12:20 GMT")
        let ahead = (name: "Date", value: "Tue, 14 Nov 2023 23:12:20 GMT")
        #expect(try age([]) == "0")
        #expect(try age([], after: 7.9) == "7")
        #expect(try age([minuteAgo]) == "60")
        #expect(try age([minuteAgo, ("Age", "10")]) == "60")
        #expect(try age([minuteAgo, ("Age", "100")], after: 5) == "105")
        #expect(try age([ahead, ("Age", "3")]) == "3")
        #expect(try age([("Age", "3")], delay: 4, after: 1) == "8")
        #expect(try age([minuteAgo], delay: 4) == "60")
    }

    @Test(
        arguments: [
            ("x", "0"), ("-5", "0"), ("7.5", "0"), ("", "0"), ("5, 7", "5"), ("7, x", "7"),
            ("x, 7", "0"), ("0, 0", "0"), ("7;a=1", "0"),
        ])
    func `5.1: an Age that is no number is ignored; of several the first counts`(
        value: String, expected: String
    ) throws {
        #expect(try age([("Age", value)]) == expected)
    }

    @Test
    func `5.1: of several Age lines the first counts, and one Age is served`() throws {
        #expect(try age([("Age", "7"), ("Age", "0")]) == "7")
        let origin = CacheFixture()
        origin.store([("Age", "7"), ("Cache-Control", "max-age=60"), ("age", "0")])
        #expect(origin.decide(at: 2).answer?.values("age") == ["9"])
    }

    @Test
    func `4.2.3: Date and Expires are served as they came`() throws {
        let origin = CacheFixture()
        let expires = "Tue, 14 Nov 2023 22:15:00 GMT"
        origin.store([("Date", CacheFixture.date), ("Expires", expires)])
        let answer = try #require(origin.decide(at: 30).answer)
        #expect(answer.values("Date") == [CacheFixture.date])
        #expect(answer.values("Expires") == [expires])
        #expect(answer.values("Age") == ["30"])
    }
}
