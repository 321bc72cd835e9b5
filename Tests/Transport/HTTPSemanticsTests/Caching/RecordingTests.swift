import TestSupport

@testable import HTTPSemantics

@Suite("What the delegate makes of an answer, and the bounds", .timeLimit(.minutes(1)))
struct RecordingTests {
    private let fresh: CacheFixture.Fields = [("Cache-Control", "max-age=60"), ("X", "1")]

    /// Plays an exchange whose delegate changes what would be stored.
    private func finish(
        _ origin: CacheFixture, change: (CachedURLResponse) -> CachedURLResponse?
    ) throws -> CacheReason {
        let recording = try #require(
            origin.cache.record(CacheFixture.answer(200, fresh), to: CacheFixture.request())
                .recording)
        recording.append(Data("body".utf8))
        let proposal = try #require(recording.proposal(for: CacheFixture.response(200, ["X": "1"])))
        #expect(proposal.data == Data("body".utf8))
        return recording.finish(proposal, as: change(proposal))
    }

    private func changed(
        _ proposal: CachedURLResponse, data: Data? = nil, response: URLResponse? = nil,
        userInfo: [AnyHashable: Any]? = nil, policy: URLCache.StoragePolicy = .allowed
    ) -> CachedURLResponse {
        CachedURLResponse(
            response: response ?? proposal.response, data: data ?? proposal.data,
            userInfo: userInfo, storagePolicy: policy)
    }

    @Test
    func `the delegate may refuse, by nil or by its policy`() throws {
        let origin = CacheFixture()
        #expect(try finish(origin) { _ in nil } == .delegateRefused)
        #expect(
            try finish(origin) { changed($0, policy: .notAllowed) } == .policyForbidsStoring)
        #expect(origin.says() == "miss: nothing is stored")
    }

    @Test
    func `the delegate may change the data and add a userInfo`() throws {
        let origin = CacheFixture()
        let reason = try finish(origin) {
            changed($0, data: Data("other".utf8), userInfo: ["k": 7])
        }
        #expect(reason == .stored(freshSeconds: 60))
        #expect(origin.decide().text == "other")
        #expect(origin.decide().answer?.values("X") == ["1"])
        let cached = try #require(origin.cache.cachedResponse(for: CacheFixture.request()))
        #expect(cached.data == Data("other".utf8))
        #expect(cached.userInfo?["k"] as? Int == 7)
    }

    @Test
    func `the delegate may change the fields, and they count`() throws {
        let origin = CacheFixture()
        let longer = CacheFixture.response(200, ["Cache-Control": "max-age=600", "Y": "2"])
        #expect(
            try finish(origin) { changed($0, response: longer) } == .stored(freshSeconds: 600))
        let answer = try #require(origin.decide().answer)
        #expect(answer.values("Y") == ["2"] && answer.values("X").isEmpty)
        let never = CacheFixture.response(200, ["Cache-Control": "no-store"])
        #expect(try finish(origin) { changed($0, response: never) } == .answerSaysNoStore)
    }

    @Test
    func `cachedResponse joins the lines of a field, and gives what is stale too`() throws {
        let origin = CacheFixture()
        origin.store([("Cache-Control", "max-age=0"), ("A", "1"), ("a", "2")], status: 404)
        let cached = try #require(origin.cache.cachedResponse(for: CacheFixture.request()))
        let response = try #require(cached.response as? HTTPURLResponse)
        #expect(response.statusCode == 404 && response.url == CacheFixture.request().url)
        #expect(response.value(forHTTPHeaderField: "A") == "1, 2")
        #expect(origin.cache.cachedResponse(for: CacheFixture.request("/b")) == nil)
        #expect(origin.cache.cachedResponse(for: CacheFixture.request("/a", "POST")) == nil)
        origin.cache.removeCachedResponse(for: CacheFixture.request("/a", "POST"))
        #expect(origin.cache.cachedResponse(for: CacheFixture.request()) == nil)
    }

    // MARK: Bounds

    @Test
    func `an answer over a twentieth of the capacity is not stored, and replaces all the same`()
        throws
    {
        let origin = try CacheFixture(ResponseCache(memoryCapacity: 40_000))
        #expect(origin.store(fresh, body: "old") == .stored(freshSeconds: 60))
        let long = String(repeating: "x", count: 2_001)
        #expect(origin.store(fresh, body: long) == .tooLarge(limit: 2_000))
        // The head counts too.
        #expect(
            origin.store(fresh, body: String(repeating: "x", count: 2_000))
                == .tooLarge(limit: 2_000))
        #expect(origin.says() == "miss: nothing is stored")
        let reported = fresh + [("Content-Length", "2001")]
        #expect(origin.store(reported, body: long) == .tooLarge(limit: 2_000))
    }

    @Test
    func `a recording over the limit frees its bytes at once`() throws {
        let origin = try CacheFixture(ResponseCache(memoryCapacity: 40_000))
        let recording = try #require(
            origin.cache.record(CacheFixture.answer(200, fresh), to: CacheFixture.request())
                .recording)
        let bytes = Data(count: 1_500)
        for _ in 0..<3 {
            recording.append(bytes)
        }
        #expect(recording.proposal(for: CacheFixture.response()) == nil)
        #expect(recording.finish(nil, as: nil) == .tooLarge(limit: 2_000))
    }

    @Test
    func `memory never exceeds its capacity, and the least recently used go first`() throws {
        let origin = try CacheFixture(ResponseCache(memoryCapacity: 40_000))
        let body = String(repeating: "x", count: 1_000)
        for number in 0..<100 {
            origin.store(fresh, to: CacheFixture.request("/\(number)"), body: body)
            #expect(origin.cache.currentMemoryUsage <= 40_000)
            #expect(origin.decide(CacheFixture.request("/0")).word == "hit")
        }
        #expect(origin.cache.currentMemoryUsage > 36_000)
        let kept = (0..<100).filter { origin.decide(CacheFixture.request("/\($0)")).word == "hit" }
        #expect(kept == [0] + Array((100 - kept.count + 1)..<100))
        origin.cache.removeAllCachedResponses()
        #expect(origin.cache.currentMemoryUsage == 0)
    }

    @Test
    func `what is replaced, updated and removed leaves the count at zero`() throws {
        let origin = CacheFixture()
        let tagged = fresh + [("ETag", "\"a\"")]
        for _ in 0..<3 {
            origin.store(tagged)
        }
        let stored = try #require(origin.decide(at: 61).answer)
        let more = [(name: "More", value: String(repeating: "m", count: 5_000))]
        _ = origin.cache.freshen(
            stored, with: CacheFixture.answer(304, more, at: 62), to: CacheFixture.request())
        #expect(origin.cache.currentMemoryUsage > 5_000)
        origin.cache.removeCachedResponse(for: CacheFixture.request())
        #expect(origin.cache.currentMemoryUsage == 0)
    }

    @Test
    func `a cache of no capacity stores nothing and stays usable`() throws {
        let origin = try CacheFixture(ResponseCache(memoryCapacity: -1))
        #expect(origin.store(fresh) == .tooLarge(limit: 0))
        #expect(origin.says() == "miss: nothing is stored")
    }

    @Test
    func `the shared cache holds 4 MiB in memory and nothing on disk`() {
        #expect(ResponseCache.shared.memoryCapacity == 4 << 20)
        #expect(ResponseCache.shared.diskCapacity == 0)
    }
}
