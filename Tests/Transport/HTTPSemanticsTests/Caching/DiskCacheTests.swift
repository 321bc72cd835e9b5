import TestSupport

@testable import HTTPSemantics

@Suite("The cache on disk", .timeLimit(.minutes(1)))
struct DiskCacheTests {
    private let directory = CacheFolder()
    private let fresh = CacheFolder.fresh

    @Test func `a copy of the process does not keep the directory`() throws {
        var copy: Int32 = -1
        do {
            let cache = try directory.cache()
            // As a process has it that was forked.
            copy = dup(try #require(openDescriptor(of: directory.file("lock"))))
            cache.waitForDisk()
        }
        defer { close(copy) }
        #expect(throws: Never.self) { try directory.cache() }
    }

    private func openDescriptor(of file: URL) -> Int32? {
        let path = file.resolvingSymlinksInPath().path
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.first {
            let link = "/proc/self/fd/\($0)"
            return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path
        }.flatMap { Int32($0) }
    }

    @Test
    func `a later cache has what an earlier one stored`() throws {
        let secret = "Basic c2VjcmV0OnNlY3JldA=="
        let french = CacheFixture.request(
            "/private/path?q=1", with: [("Accept-Language", "fr"), ("Authorization", secret)])
        do {
            let origin = try CacheFixture(directory.cache())
            origin.exchange(
                CacheFixture.answer(
                    200, fresh + [("Vary", "Accept-Language"), ("Age", "3")], isDecoded: true),
                to: french, body: "français")
            #expect(origin.decide(french).text == "français")
            origin.cache.waitForDisk()
            #expect(origin.cache.currentMemoryUsage == 0)
        }
        let origin = try CacheFixture(directory.cache())
        let decision = origin.decide(french, at: 2)
        let answer = try #require(decision.answer)
        #expect(decision.description == "hit: fresh for 55 s more")
        #expect(decision.text == "français" && answer.isDecoded && answer.status == 200)
        #expect(answer.values("X") == ["1", "2"])
        #expect(
            origin.says(CacheFixture.request("/private/path?q=1")).contains("another credential"))
        let bytes = try Data(contentsOf: directory.file(try #require(directory.names.first)))
        for text in ["path", "h.test", "c2VjcmV0", "fr\""] {
            #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text)")
        }
    }

    @Test
    func `only the owner may read the files, and their names contain nothing of the URL`() throws {
        let name = try directory.storeOne()
        #expect(try directory.mode(name) == 0o600)
        #expect(try directory.mode("lock") == 0o600)
        #expect(try directory.mode("") == 0o700)
        #expect(name.hasSuffix(".answer") && name.prefix(32).allSatisfy(\.isHexDigit))
    }

    @Test
    func `one cache at a time has a directory`() throws {
        var first: ResponseCache? = try directory.cache()
        let error = #expect(throws: ResponseCacheError.self) { try directory.cache() }
        #expect(error?.reason == .directoryInUse && error?.path == directory.url.path)
        #expect(first != nil)
        first = nil
        _ = try directory.cache()
    }

    /// A second `close` would fail, or close what another thread has opened meanwhile.
    @Test
    func `a directory that another cache has is closed once`() throws {
        let first = try directory.cache()
        errno = 0
        let second = try? CacheDirectory(directory.url)
        let code = errno
        #expect(second == nil && code != EBADF)
        withExtendedLifetime(first) {}
    }

    @Test
    func `a directory that is missing or cannot be made is an error`() throws {
        let missing = #expect(throws: ResponseCacheError.self) {
            try ResponseCache(memoryCapacity: 0, diskCapacity: 1)
        }
        #expect(missing?.reason == .directoryMissing)
        let file = directory.url.appendingPathExtension("file")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let unusable = #expect(throws: ResponseCacheError.self) {
            try ResponseCache(
                memoryCapacity: 0, diskCapacity: 1, directory: file.appendingPathComponent("d"))
        }
        #expect(unusable?.reason == .cannotUseDirectory)
    }

    @Test
    func `what may only be in memory is not written, and userInfo never is`() throws {
        for (policy, count) in [(URLCache.StoragePolicy.allowedInMemoryOnly, 0), (.allowed, 1)] {
            let cache = try directory.cache(memory: 1 << 20)
            let recording = try #require(
                cache.record(CacheFixture.answer(200, fresh), to: CacheFixture.request()).recording)
            let answer = CachedURLResponse(
                response: CacheFixture.response(), data: Data("d".utf8),
                userInfo: ["k": 1], storagePolicy: policy)
            recording.finish(
                answer, as: answer)
            cache.waitForDisk()
            #expect(directory.names.count == count)
            #expect(cache.cachedResponse(for: CacheFixture.request())?.userInfo?["k"] as? Int == 1)
        }
        let later = try directory.cache(memory: 1 << 20)
        let cached = try #require(later.cachedResponse(for: CacheFixture.request()))
        #expect(cached.userInfo == nil && cached.data == Data("d".utf8))
    }

    @Test
    func `what is replaced, invalidated or removed leaves no file`() throws {
        let origin = try CacheFixture(directory.cache())
        for second in 0..<3 {
            origin.store(fresh, at: TimeInterval(second))
        }
        origin.cache.waitForDisk()
        #expect(directory.names.count == 1)
        origin.store([], to: CacheFixture.request("/a", "PUT"), at: 5)
        origin.cache.waitForDisk()
        #expect(directory.names.isEmpty && origin.cache.currentDiskUsage == 0)
        origin.store(fresh, at: 6)
        origin.cache.removeAllCachedResponses()
        origin.cache.waitForDisk()
        #expect(directory.names.isEmpty && origin.cache.currentDiskUsage == 0)
    }

    @Test
    func `the fields of a 304 are stored on disk too`() throws {
        do {
            let origin = try CacheFixture(directory.cache())
            origin.store(fresh)
            let stored = try #require(origin.decide(at: 61).answer)
            _ = origin.cache.freshen(
                stored, with: CacheFixture.answer(304, [("X", "3")], at: 62),
                to: CacheFixture.request())
            origin.cache.waitForDisk()
            #expect(directory.names.count == 1)
        }
        let origin = try CacheFixture(directory.cache())
        #expect(origin.says(at: 63) == "hit: fresh for 59 s more")
        #expect(origin.decide(at: 63).answer?.values("X") == ["3"])
    }

    /// Confirms the stored response.
    private func confirm(
        _ origin: CacheFixture, _ fields: CacheFixture.Fields, at second: TimeInterval
    ) throws {
        let stored = try #require(origin.decide(CacheFixture.request("/b"), at: second).answer)
        _ = origin.cache.freshen(
            stored, with: CacheFixture.answer(304, fields, at: second),
            to: CacheFixture.request("/b"))
        origin.cache.waitForDisk()
    }

    @Test(arguments: [0, 1 << 20])
    func `a response that is confirmed often is written once a minute`(memory: Int) throws {
        let origin = try CacheFixture(directory.cache(memory: memory))
        let fields = [("Cache-Control", "no-cache"), ("ETag", "\"a\"")]
        origin.store(fields, to: CacheFixture.request("/b"))
        origin.cache.waitForDisk()
        var names: Set<[String]> = [directory.names]
        for second in 1..<180 {
            try confirm(origin, [("X-Request", "\(second)")], at: TimeInterval(second))
            names.insert(directory.names)
        }
        #expect(names.count == 3)
        let last = origin.decide(CacheFixture.request("/b"), at: 180).answer
        #expect(last?.values("X-Request") == ["179"])
    }

    @Test(arguments: [0, 1 << 20], ["max-age=1", "max-age=600, must-revalidate"])
    func `a 304 that allows less is on the disk at once, with the body`(
        memory: Int, control: String
    ) throws {
        do {
            let origin = try CacheFixture(directory.cache(memory: memory))
            let fields = [("Cache-Control", "max-age=600"), ("ETag", "\"a\"")]
            origin.store(fields, to: CacheFixture.request("/b"))
            origin.cache.waitForDisk()
            try confirm(origin, [("Cache-Control", control)], at: 5)
            #expect(origin.decide(CacheFixture.request("/b"), at: 5).text == "body")
            #expect(directory.names.count == 1)
        }
        let origin = try CacheFixture(directory.cache(memory: memory))
        let decision = origin.decide(CacheFixture.request("/b"), at: 10)
        #expect(decision.answer?.values("Cache-Control") == [control] && decision.text == "body")
    }

    /// Else a server could have a long body written for each request.
    @Test(arguments: [0, 1 << 20])
    func `the second 304 within a minute that allows less takes the file away`(
        memory: Int
    ) throws {
        let origin = try CacheFixture(directory.cache(memory: memory))
        origin.store([("Cache-Control", "max-age=600")], to: CacheFixture.request("/b"))
        origin.cache.waitForDisk()
        try confirm(origin, [("Cache-Control", "max-age=500")], at: 5)
        #expect(directory.names.count == 1)
        // What allows more is not written within the minute, and is no reason to remove the file.
        try confirm(origin, [("Cache-Control", "max-age=700")], at: 6)
        #expect(directory.names.count == 1)
        try confirm(origin, [("Cache-Control", "max-age=400")], at: 7)
        #expect(directory.names.isEmpty)
        let word = origin.decide(CacheFixture.request("/b"), at: 8).word
        #expect(word == (memory > 0 ? "hit" : "miss"))
    }

    @Test(arguments: [0, 1 << 20])
    func `a 304 that cannot be written leaves the response on the disk`(memory: Int) throws {
        let moved = directory.url.appendingPathExtension("moved")
        do {
            let origin = try CacheFixture(directory.cache(memory: memory))
            origin.store(fresh, to: CacheFixture.request("/b"))
            origin.cache.waitForDisk()
            let name = try #require(directory.names.first)
            let stored = try #require(origin.decide(CacheFixture.request("/b"), at: 90).answer)
            // The disk refuses new files.
            try FileManager.default.moveItem(at: directory.url, to: moved)
            _ = origin.cache.freshen(
                stored, with: CacheFixture.answer(304, [("X", "3")], at: 90),
                to: CacheFixture.request("/b"))
            origin.cache.waitForDisk()
            try FileManager.default.moveItem(at: moved, to: directory.url)
            #expect(directory.names == [name])
            let found = origin.decide(CacheFixture.request("/b"), at: 91)
            #expect(found.text == "body" && found.answer?.values("X") == ["3"])
        }
        let origin = try CacheFixture(directory.cache(memory: memory))
        let answer = origin.decide(CacheFixture.request("/b"), at: 92).answer
        #expect(answer?.values("X") == ["1", "2"])
    }

    @Test
    func `the disk never holds more than its capacity; the least recently used go first`() throws {
        let body = String(repeating: "x", count: 1_000)
        let origin = try CacheFixture(directory.cache(disk: 60_000))
        for number in 0..<80 {
            origin.store(fresh, to: CacheFixture.request("/\(number)"), body: body)
            origin.cache.waitForDisk()
            #expect(origin.decide(CacheFixture.request("/0")).word == "hit")
        }
        let sizes = try directory.names.map { try Data(contentsOf: directory.file($0)).count }
        #expect(sizes.reduce(0, +) == origin.cache.currentDiskUsage)
        #expect((57_000...60_000).contains(origin.cache.currentDiskUsage))
        let kept = (0..<80).filter { origin.decide(CacheFixture.request("/\($0)")).word == "hit" }
        #expect(kept == [0] + Array((80 - kept.count + 1)..<80))
        let large = String(repeating: "x", count: 3_001)
        #expect(origin.store(fresh, body: large) == .tooLarge(limit: 3_000))
    }

    @Test
    func `the order of use outlives the cache, and a smaller one keeps what was used last`() throws
    {
        do {
            let origin = try CacheFixture(directory.cache(disk: 60_000))
            for number in 0..<20 {
                origin.store(fresh, to: CacheFixture.request("/\(number)"))
            }
            origin.cache.waitForDisk()
            for name in directory.names {
                try FileManager.default.setAttributes(
                    [.modificationDate: CacheFixture.start], ofItemAtPath: directory.file(name).path
                )
            }
            for number in [3, 14] {
                #expect(origin.decide(CacheFixture.request("/\(number)")).word == "hit")
            }
        }
        let size = try Data(contentsOf: directory.file(try #require(directory.names.first))).count
        let origin = try CacheFixture(directory.cache(disk: size * 3))
        origin.cache.waitForDisk()
        #expect((2...3).contains(directory.names.count))
        #expect([3, 14].allSatisfy { origin.decide(CacheFixture.request("/\($0)")).word == "hit" })
    }

    @Test
    func `a body fetched from disk is kept in memory where it fits`() throws {
        _ = try directory.storeOne()
        let origin = try CacheFixture(directory.cache(memory: 1 << 20))
        #expect(origin.cache.currentMemoryUsage == 0)
        #expect(origin.decide().word == "hit")
        #expect(origin.cache.currentMemoryUsage > 0)
        try FileManager.default.removeItem(at: directory.file(try #require(directory.names.first)))
        #expect(origin.decide().text == "body")
    }

    @Test
    func `a 304 that makes a head too large for the memory leaves the answer on disk`() throws {
        let origin = try CacheFixture(directory.cache(memory: 1 << 20, disk: 1 << 24))
        origin.store(fresh)
        let stored = try #require(origin.decide(at: 99).answer)
        let large = (name: "Y", value: String(repeating: "y", count: (1 << 20) / 20))
        let answer = CacheFixture.answer(304, [large], at: 100)
        #expect(origin.cache.freshen(stored, with: answer, to: CacheFixture.request()) != nil)
        origin.cache.waitForDisk()
        #expect(origin.cache.currentMemoryUsage == 0)
        let found = origin.decide(at: 101)
        #expect(found.text == "body" && found.answer?.values("Y") == [large.value])
        #expect(directory.names.count == 1)
    }

    @Test
    func `where the disk refuses, what fits is stored in memory, and nothing else`() throws {
        let origin = try CacheFixture(directory.cache(memory: 20_000, disk: 1 << 20))
        try FileManager.default.removeItem(at: directory.url)
        origin.store(fresh, to: CacheFixture.request("/small"))
        let body = String(repeating: "x", count: 5_000)
        origin.store(fresh, to: CacheFixture.request("/large"), body: body)
        origin.cache.waitForDisk()
        #expect(origin.decide(CacheFixture.request("/small")).word == "hit")
        #expect(origin.says(CacheFixture.request("/large")) == "miss: nothing is stored")
        #expect(origin.cache.currentDiskUsage == 0)
    }

    @Test
    func `many threads may store, ask and remove at once`() throws {
        let origin = try CacheFixture(directory.cache(memory: 20_000, disk: 40_000))
        let fields = fresh
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<50 {
                let request = CacheFixture.request("/\((number * 7 + thread) % 20)")
                origin.store(fields, to: request, body: "\(number)")
                _ = origin.decide(request)
                if number % 10 == thread {
                    origin.cache.removeCachedResponse(for: request)
                }
            }
        }
        origin.cache.removeAllCachedResponses()
        origin.cache.waitForDisk()
        #expect(origin.cache.currentMemoryUsage == 0 && origin.cache.currentDiskUsage == 0)
        #expect(directory.names.isEmpty)
    }
}
