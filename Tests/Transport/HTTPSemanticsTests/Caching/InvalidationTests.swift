import TestSupport

@testable import HTTPSemantics

@Suite("RFC 9111 section 4.4: invalidation", .timeLimit(.minutes(1)))
struct InvalidationTests {
    private let hour: CacheFixture.Fields = [("Cache-Control", "max-age=3600")]

    private func isStored(_ target: String, in origin: CacheFixture) -> Bool {
        origin.decide(CacheFixture.request(target), at: 20).word == "hit"
    }

    @Test(
        arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"])
    func `4.4: a request that may change the target removes it, all variants`(method: String) throws
    {
        for status in [200, 204, 303, 399] {
            let origin = CacheFixture()
            let french = CacheFixture.request("/a", with: [("Accept-Language", "fr")])
            origin.store(hour + [("Vary", "Accept-Language")], to: french)
            origin.store(hour)
            origin.store(hour, to: CacheFixture.request("/b"))
            origin.store([], status: status, to: CacheFixture.request("/a#x", method), at: 10)
            #expect(!isStored("/a", in: origin) && isStored("/b", in: origin))
            #expect(origin.decide(french, at: 20).word == "miss")
        }
    }

    @Test
    func `4.4: an error answer, a safe method and a request with no-store remove nothing`() throws {
        let origin = CacheFixture()
        origin.store(hour)
        for status in [400, 404, 500, 503] {
            origin.store([], status: status, to: CacheFixture.request("/a", "POST"), at: 10)
        }
        for method in ["OPTIONS", "TRACE"] {
            origin.store([], to: CacheFixture.request("/a", method), at: 10)
        }
        #expect(isStored("/a", in: origin))
    }

    @Test
    func `4.4: a request with no-store invalidates all the same`() throws {
        let origin = CacheFixture()
        origin.store(hour)
        let request = CacheFixture.request("/a", "POST", with: [("Cache-Control", "no-store")])
        origin.store([], to: request, at: 10)
        #expect(!isStored("/a", in: origin))
    }

    @Test
    func `4.4: Location and Content-Location are removed where they are of the same origin`() throws
    {
        let same = ["/d/b", "b", "http://H.test:80/d/b", "//h.test/d/b"]
        let elsewhere = ["http://h.test:81/d/b", "https://h.test/d/b", "//i.test/d/b"]
        for name in ["Location", "content-location"] {
            for value in same + elsewhere {
                let origin = CacheFixture()
                for target in same.prefix(1) + elsewhere {
                    let whole = target.hasPrefix("//") ? "http:" + target : target
                    origin.store(hour, to: CacheFixture.request(whole))
                }
                origin.store(
                    [(name, value)], status: 201, to: CacheFixture.request("/d/a", "POST"), at: 10)
                #expect(
                    isStored("/d/b", in: origin) == elsewhere.contains(value),
                    "\(name): \(value)")
                for target in ["http://h.test:81/d/b", "https://h.test/d/b", "http://i.test/d/b"] {
                    #expect(isStored(target, in: origin))
                }
            }
        }
    }

    @Test
    func `4.4: escapes of Location and Content-Location stay as they are`() throws {
        for name in ["Location", "Content-Location"] {
            let origin = CacheFixture()
            origin.store(hour, to: CacheFixture.request("/my%20file%2Fb"))
            origin.store(
                [(name, "/my file%2Fb")], status: 201, to: CacheFixture.request("/a", "POST"),
                at: 10)
            #expect(!isStored("/my%20file%2Fb", in: origin), "\(name)")
        }
    }

    @Test
    func `4.4: an answer that was asked for before the change is not stored after it`() throws {
        let origin = CacheFixture()
        let early = CacheFixture.answer(200, hour, at: 9)
        let recording = try #require(
            origin.cache.record(early, to: CacheFixture.request()).recording)
        origin.store([], status: 204, to: CacheFixture.request("/a", "PUT"), at: 10)
        let proposal = recording.proposal(for: CacheFixture.response())
        #expect(recording.finish(proposal, as: proposal) == .invalidatedMeanwhile)
        #expect(origin.store(hour, at: 10) == .stored(freshSeconds: 3600))
        #expect(isStored("/a", in: origin))
    }

    @Test
    func `4.4: however many other URLs were changed meanwhile`() throws {
        for count in [1, 254, 255, 256, 600] {
            let origin = CacheFixture()
            let early = CacheFixture.answer(200, hour, at: 9)
            let recording = try #require(
                origin.cache.record(early, to: CacheFixture.request()).recording)
            origin.store([], status: 204, to: CacheFixture.request("/a", "PUT"), at: 10)
            for number in 0..<count {
                origin.store([], status: 204, to: CacheFixture.request("/\(number)", "PUT"), at: 10)
            }
            let proposal = recording.proposal(for: CacheFixture.response())
            #expect(recording.finish(proposal, as: proposal) == .invalidatedMeanwhile)
            #expect(origin.store(hour, at: 10) == .stored(freshSeconds: 3600))
        }
    }
}

@Suite("RFC 5861 section 4: stale-if-error", .timeLimit(.minutes(1)))
struct StaleIfErrorTests {
    private let origin = CacheFixture()

    private func answer(
        _ request: URLRequest = CacheFixture.request(), on failure: CacheFailure = .status(503),
        at seconds: TimeInterval = 65
    ) -> StoredResponse? {
        origin.cache.staleAnswer(for: request, on: failure, at: CacheFixture.at(seconds))
    }

    @Test
    func `5861-4: a stale answer stands in for a failed server as long as it says`() throws {
        origin.store([("Cache-Control", "max-age=60, stale-if-error=5")])
        let answer = try #require(self.answer())
        #expect(answer.body == Data("body".utf8) && answer.values("Age") == ["65"])
        #expect(
            "\(answer.reason)"
                == "stale for 5 s, which stale-if-error allows since the server failed")
        #expect(self.answer(at: 66) == nil)
        #expect(self.answer(CacheFixture.request("/b")) == nil)
        #expect(self.answer(CacheFixture.request("/a", "HEAD"))?.body == Data())
    }

    @Test
    func `5861-4: the failures are 500, 502, 503, 504 and a server out of reach`() {
        origin.store([("Cache-Control", "max-age=60, stale-if-error=5")])
        let statuses = (200...599).filter { answer(on: .status($0)) != nil }
        #expect(statuses == [500, 502, 503, 504])
        let reach: [URLError.Code] = [
            .badServerResponse, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
            .networkConnectionLost, .notConnectedToInternet, .timedOut,
        ]
        for code in reach {
            #expect(answer(on: .error(URLError(code))) != nil)
        }
        let others: [URLError.Code] = [
            .cancelled, .userCancelledAuthentication, .serverCertificateUntrusted,
            .secureConnectionFailed, .userAuthenticationRequired, .dataLengthExceedsMaximum,
            .httpTooManyRedirects, .clientCertificateRejected, .serverCertificateHasUnknownRoot,
        ]
        for code in others {
            #expect(answer(on: .error(URLError(code))) == nil)
        }
    }

    @Test(
        arguments: [
            "max-age=60", "max-age=60, stale-if-error", "max-age=60, stale-if-error=x",
            "max-age=60, stale-if-error=5, must-revalidate",
            "max-age=60, stale-if-error=5, no-cache",
        ])
    func `5861-4: without the directive, or with one that forbids, nothing stands in`(
        control: String
    ) {
        origin.store([("Cache-Control", control)])
        #expect(answer() == nil)
    }

    @Test
    func `5861-4: a request may allow it too; one that asks for a new answer does not get an old`()
    {
        func request(
            _ control: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
        ) -> URLRequest {
            CacheFixture.request("/a", policy: policy, with: [("Cache-Control", control)])
        }
        origin.store([("Cache-Control", "max-age=60")])
        #expect(answer(request("stale-if-error=5")) != nil)
        #expect(answer(request("stale-if-error=4")) == nil)
        #expect(answer(request("stale-if-error=5, no-cache")) == nil)
        #expect(answer(request("stale-if-error=5", .reloadIgnoringLocalCacheData)) == nil)
        #expect(answer(request("stale-if-error=5", .reloadRevalidatingCacheData)) == nil)
        origin.store([("Cache-Control", "max-age=60, stale-if-error=5")])
        #expect(answer(request("max-age=0")) != nil)
    }
}
