import TestSupport

@testable import HTTPSemantics

/// Heads as large as any that is received: 300 KB, 10,000 lines.
@Suite("What a hostile head costs", .timeLimit(.minutes(5)))
struct HostileHeadTests {
    private static let largest = 300_000

    /// Seconds of this thread's processor time, whatever else the machine does.
    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        try body()
        return now() - start
    }

    /// A few seconds a megabyte, in a debug build; in quadratic time it would be minutes.
    private func isQuick(_ what: String, _ body: () throws -> Void) rethrows {
        let time = try seconds(body)
        print("\(what): \(time) s")
        #expect(time < 1, "\(what) takes \(time) s")
    }

    private static func repeated(_ text: String) -> String {
        String(repeating: text, count: largest / text.utf8.count)
    }

    /// Names of one length, as many as asked for.
    private static func names(_ count: Int, _ prefix: String = "x") -> [String] {
        (0..<count).map { "\(prefix)\(10_000 + $0)" }
    }

    /// Names that differ in a bit that letters differ in by their case, but are no letters.
    private static func lookalikes(_ count: Int) -> [String] {
        (0..<count).map { number in
            String((0..<16).map { number >> $0 & 1 == 0 ? "^" : "~" })
        }
    }

    @Test
    func `names in Connection are looked up, not compared with each line`() {
        let lines = Self.names(9_800).map { (name: $0, value: "") }
        for value in [Self.repeated("b,"), Self.lookalikes(15_000).joined(separator: ",")] {
            let fields = HeaderFields(lines + [(name: "Connection", value: value)])
            isQuick("storable") { #expect(fields.storable.count == 9_800) }
        }
        let fields = HeaderFields(
            Self.lookalikes(9_999).map { (name: $0, value: "") }
                + [(name: "Connection", value: Self.lookalikes(9_000).joined(separator: ", "))])
        isQuick("names of one look") { #expect(fields.storable.count == 999) }
    }

    @Test
    func `a 304 with many fields costs no more than they are long`() throws {
        let stored = Self.names(2_300, "s").map { (name: $0, value: "") }
        let newer = Self.names(9_900, "n").map { (name: $0, value: "") }
        let alike = Self.lookalikes(9_900).map { (name: $0, value: "") }
        for (old, new) in [(stored, newer), (newer, newer), (stored, alike)] {
            var fields = HeaderFields(old)
            isQuick("update") { fields.update(from: HeaderFields(new)) }
            #expect(fields.count == (old[0].name == new[0].name ? 9_900 : 12_200))
        }
    }

    @Test
    func `a stored head does not grow with each 304 beyond what one answer may have`() throws {
        let origin = try CacheFixture(ResponseCache(memoryCapacity: 64 << 20))
        let tag = (name: "ETag", value: "\"1\"")
        origin.store([tag, (name: "Cache-Control", value: "max-age=1")])
        var rounds = 0
        for round in 1...5 {
            guard case .revalidate(let stored, _) = origin.decide(at: 10.0 * Double(round)).outcome
            else { break }
            rounds = round
            let many = Self.names(4_000, "r\(round)-").map { (name: $0, value: "") }
            let answer = CacheFixture.answer(304, [tag] + many, at: 10.0 * Double(round))
            let request = CacheRequest(CacheFixture.request())
            let fresh = origin.cache.freshen(stored, with: answer, to: request)
            #expect(fresh?.body == Data("body".utf8))
        }
        #expect(rounds == 3)
    }

    @Test(arguments: [
        "a,", ",", " ", "\t,", "\"", "\"a,", "\\\"", "\"\\", "max-age=1,", "a=\"b\",", "=,", "*,",
        "no-cache=\"a,b\",", "x", "é,",
    ])
    func `lists cost no more than they are long`(member: String) throws {
        let value = Self.repeated(member)
        let lines = Array(repeating: member, count: 9_000)
        for values in [[value], lines] {
            for name in ["Cache-Control", "Vary", "Age", "Connection"] {
                var fields = HeaderFields(values.map { (name: name, value: $0) })
                fields.append("X", "")
                let answer = ReceivedResponse(
                    status: 200, fields: fields, requestTime: CacheFixture.start,
                    responseTime: CacheFixture.start, isDecoded: false)
                let origin = CacheFixture()
                isQuick("\(name) of \(member.debugDescription) in \(values.count)") {
                    origin.exchange(answer)
                    _ = origin.decide()
                }
            }
        }
    }

    @Test(arguments: [
        "Basic realm=\"a\",", "a ", "a,", "Digest a=b,", "a=b,", "=", "\"", "Basic ", "a\\", ",",
        "Digest nonce=\"\\\"\" ", "NTLM ====", "a =", "\t",
    ])
    func `challenges cost no more than they are long`(part: String) {
        let value = Self.repeated(part)
        let lines = Array(repeating: part, count: 9_000)
        let target = URL(string: "http://h.test/").flatMap { AuthenticationTarget(origin: $0) }
        for fields in [[value], lines] {
            isQuick("challenges of \(part.debugDescription) in \(fields.count)") {
                _ = HTTPChallenge.challenges(in: fields)
                if let target {
                    _ = AuthenticationOffer.offers(
                        in: fields, by: target, methods: Set(AuthenticationOffer.Method.allCases))
                }
            }
        }
    }

    @Test(arguments: [
        "a=b;", ";", "=", " ", "expires=Wed, 21 Oct 2015 07:28:00 GMT;", "domain=h.test;", "a",
        "path=/a;", "\"", "max-age=9;", "\t=",
    ])
    func `cookies cost no more than they are long`(part: String) throws {
        let value = "n=v;" + Self.repeated(part)
        let lines = Array(repeating: "n=v; \(part)", count: 9_000)
        let url = try #require(URL(string: "https://www.h.test/a/b"))
        for fields in [[value], lines] {
            let storage = CookieStorage()
            isQuick("cookies of \(part.debugDescription) in \(fields.count)") {
                storage.store(setCookieFields: fields, from: url, at: CacheFixture.start)
                _ = storage.cookieHeader(for: url, at: CacheFixture.start)
            }
        }
    }

    @Test(arguments: [
        "attachment;", "filename=\"a\";", "\"", "\\\"", ";", "a=b;", "filename*=utf-8''%41;", "%41",
        "filename*=iso-8859-1''%41", "/", ".", "e\u{301}", "=", " ",
    ])
    func `names of files cost no more than they are long`(part: String) {
        let value = "attachment; " + Self.repeated(part)
        isQuick("file names of \(part.debugDescription)") {
            let parameters = DispositionParameters(value)
            _ = parameters.fileName.map { SuggestedFileName($0) }
            _ = parameters.extendedFileName.map { SuggestedFileName($0) }
            _ = SuggestedFileName(value)
        }
    }

    @Test(arguments: ["9", "bytes 0-1/2,", " ", "a", "Wed, 21 Oct 2015 07:28:00 GMT "])
    func `numbers and dates cost no more than they are long`(part: String) {
        let value = Self.repeated(part)
        isQuick("Retry-After of \(part.debugDescription)") {
            _ = RetryAfter.seconds(value, now: CacheFixture.start)
            _ = HTTPDate.parse(value, now: CacheFixture.start)
            _ = CookieDate.date(value)
            _ = CacheControl.deltaSeconds(value)
        }
    }
}
