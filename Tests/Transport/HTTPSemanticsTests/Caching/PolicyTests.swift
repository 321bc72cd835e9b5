import TestSupport

@testable import HTTPSemantics

@Suite("The policies of URLRequest", .timeLimit(.minutes(1)))
struct PolicyTests {
    /// What is stored when the request comes.
    enum State: String, CaseIterable {
        case nothing, fresh, stale, staleWithTag, noCache, mustRevalidate, variant, credential
    }

    private static let policies: [(URLRequest.CachePolicy, String)] = [
        (.useProtocolCachePolicy, "protocol"), (.reloadIgnoringLocalCacheData, "ignoring local"),
        (.reloadIgnoringLocalAndRemoteCacheData, "ignoring all"),
        (.returnCacheDataElseLoad, "else load"), (.returnCacheDataDontLoad, "do not load"),
        (.reloadRevalidatingCacheData, "revalidating"),
    ]

    private func origin(_ state: State) throws -> CacheFixture {
        let origin = CacheFixture()
        let tag = (name: "ETag", value: "\"a\"")
        switch state {
        case .nothing: break
        case .fresh: origin.store([("Cache-Control", "max-age=60"), tag])
        case .stale: origin.store([("Cache-Control", "max-age=1")])
        case .staleWithTag: origin.store([("Cache-Control", "max-age=1"), tag])
        case .noCache: origin.store([("Cache-Control", "max-age=60, no-cache"), tag])
        case .mustRevalidate:
            origin.store([("Cache-Control", "max-age=1, must-revalidate"), tag])
        case .variant:
            let request = CacheFixture.request("/a", with: [("Accept", "x")])
            origin.store([("Cache-Control", "max-age=60"), ("Vary", "Accept"), tag], to: request)
        case .credential:
            let request = CacheFixture.request("/a", with: [("Authorization", "x")])
            origin.store([("Cache-Control", "max-age=60"), tag], to: request)
        }
        return origin
    }

    @Test
    func `each policy does what it says in each state of the cache`() throws {
        let expected = """
            protocol       | miss | hit | miss | revalidate | revalidate | revalidate | miss | miss
            ignoring local | miss | miss | miss | miss | miss | miss | miss | miss
            ignoring all   | miss | miss | miss | miss | miss | miss | miss | miss
            else load      | miss | hit | hit | hit | hit | hit | miss | miss
            do not load    | fail | hit | hit | hit | hit | hit | fail | fail
            revalidating   | miss | revalidate | miss | revalidate | revalidate | revalidate | miss | miss
            """
        let rows = try Self.policies.map { policy, name in
            let request = CacheFixture.request("/a", policy: policy)
            let words = try State.allCases.map { try origin($0).decide(request, at: 10).word }
            let padded = name.padding(toLength: 14, withPad: " ", startingAt: 0)
            return padded + " | " + words.joined(separator: " | ")
        }
        #expect(rows == expected.components(separatedBy: "\n"))
    }

    @Test
    func `a request with a body or a range of its own, and one of another method, only loads`()
        throws
    {
        var upload = CacheFixture.request("/a")
        upload.httpBody = Data("x".utf8)
        let requests = [
            upload, CacheFixture.request("/a", "POST"),
            CacheFixture.request("/a", with: [("Range", "bytes=1-")]),
            CacheFixture.request("/a", with: [("If-None-Match", "\"a\"")]),
        ]
        let origin = try origin(.fresh)
        for request in requests {
            for (policy, name) in Self.policies {
                var request = request
                request.cachePolicy = policy
                let word = policy == .returnCacheDataDontLoad ? "fail" : "miss"
                #expect(origin.decide(request).word == word, "\(name)")
            }
        }
    }

    @Test
    func `a policy that takes what is stored says how stale it is, and the Age shows it`() throws {
        let request = CacheFixture.request("/a", policy: .returnCacheDataElseLoad)
        let decision = try origin(.stale).decide(request, at: 11)
        #expect(
            decision.description == "hit: the policy takes what is stored, stale for 10 s")
        #expect(decision.answer?.values("Age") == ["11"])
        let fresh = try origin(.fresh).says(request)
        #expect(fresh == "hit: the policy takes what is stored")
    }

    @Test
    func `a load that is not allowed fails as NSURLConnection did, with the reason`() throws {
        let request = CacheFixture.request("/a", policy: .returnCacheDataDontLoad)
        let decision = try origin(.nothing).decide(request)
        #expect(decision.description == "fail: the policy does not load, and nothing is stored")
        guard case .fail(let error) = decision.outcome else {
            Issue.record("It should fail.")
            return
        }
        #expect(error.code == .resourceUnavailable && error.failingURL == request.url)
        #expect(error.userInfo[NSLocalizedDescriptionKey] != nil)
    }

    @Test
    func
        `a load that bypasses all caches sends no-cache, unless the request has its own directives`()
        throws
    {
        let policy = URLRequest.CachePolicy.reloadIgnoringLocalAndRemoteCacheData
        let origin = try origin(.fresh)
        #expect(
            origin.decide(CacheFixture.request("/a", policy: policy)).added
                == ["Cache-Control: no-cache"])
        let own = CacheFixture.request("/a", policy: policy, with: [("Cache-Control", "max-age=5")])
        #expect(origin.decide(own).added.isEmpty)
        let local = CacheFixture.request("/a", policy: .reloadIgnoringLocalCacheData)
        #expect(origin.decide(local).added.isEmpty)
    }

    @Test(
        arguments: [
            URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadRevalidatingCacheData,
        ])
    func `what a reload brings is stored`(policy: URLRequest.CachePolicy) throws {
        let origin = try origin(.fresh)
        let request = CacheFixture.request("/a", policy: policy)
        origin.store([("Cache-Control", "max-age=60")], to: request, body: "new", at: 5)
        #expect(origin.decide(at: 6).text == "new")
    }

    @Test
    func `each kind of reason prints a text of its own`() {
        let all: [CacheReason] = [
            .fresh(seconds: 1), .staleAllowed(seconds: 1), .policyTakesAny(staleSeconds: 1),
            .validated, .staleIfError(seconds: 1), .nothingStored, .varies("a"),
            .otherCredential, .damaged, .notHTTP, .method("a"), .body, .ownCondition("a"),
            .policyIgnoresCache, .stale(seconds: 1), .answerSaysNoCache, .requestSaysNoCache,
            .olderThanAsked(seconds: 1), .notFreshLongEnough(seconds: 1), .policyRevalidates,
            .clockWentBack, .noValidator(.stale(seconds: 1)), .onlyIfCached,
            .policyDoesNotLoad(.nothingStored), .stored(freshSeconds: 1), .requestSaysNoStore,
            .answerSaysNoStore, .status(1), .nothingAllowsStoring(1), .variesAlways,
            .tooLarge(limit: 1), .incomplete, .delegateRefused, .policyForbidsStoring,
            .invalidatedMeanwhile, .cancelled,
        ]
        #expect(Set(all.map(\.description)).count == all.count)
    }

    @Test
    func `a user can ask what would be done`() throws {
        let cache = try origin(.fresh).cache
        let text = cache.explain(CacheFixture.request("/a"), at: CacheFixture.at(48))
        #expect(text == "hit: fresh for 12 s more")
    }
}
