import TestSupport

@testable import HTTPSemantics

@Suite("What a disk may have lost of the cache", .timeLimit(.minutes(1)))
struct DamagedCacheTests {
    private let directory = CacheFolder()

    @Test
    func `a file cut off at any byte, as a killed writer may leave it, is dropped when opened`()
        throws
    {
        let name = try directory.storeOne()
        let whole = try Data(contentsOf: directory.file(name))
        #expect(whole.count > 500)
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: directory.file(name))
            let origin = try CacheFixture(directory.cache())
            #expect(origin.says() == "miss: nothing is stored", "\(count)")
            origin.cache.waitForDisk()
            #expect(directory.names.isEmpty, "\(count)")
        }
        try (whole + Data([0])).write(to: directory.file(name))
        #expect(try CacheFixture(directory.cache()).says() == "miss: nothing is stored")
        try whole.write(to: directory.file(name))
        #expect(try CacheFixture(directory.cache()).decide().text == "body")
    }

    @Test
    func `a file with any byte changed is never served, and goes`() throws {
        let name = try directory.storeOne()
        let whole = try Data(contentsOf: directory.file(name))
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x20
            try bytes.write(to: directory.file(name))
            let origin = try CacheFixture(directory.cache())
            let says = origin.says()
            #expect(says == "miss: nothing is stored" || says == "miss: what was stored is damaged")
            origin.cache.waitForDisk()
            #expect(directory.names.isEmpty && origin.cache.currentDiskUsage == 0, "\(index)")
        }
    }

    @Test
    func `what a killed writer left half written is cleaned away; other files are not touched`()
        throws
    {
        let name = try directory.storeOne()
        let stray = String(repeating: "a", count: 32) + ".part"
        try Data("half".utf8).write(to: directory.file(stray))
        for other in ["notes.answer", "notes.part", "README"] {
            try Data().write(to: directory.file(other))
        }
        let origin = try CacheFixture(directory.cache())
        #expect(origin.decide().word == "hit")
        #expect(directory.names == [name, "README", "notes.answer", "notes.part"].sorted())
    }

    @Test
    func `a pipe or a link in the place of a file is not opened`() throws {
        let name = try directory.storeOne()
        let elsewhere = directory.file("elsewhere")
        try FileManager.default.moveItem(at: directory.file(name), to: elsewhere)
        try FileManager.default.createSymbolicLink(
            at: directory.file(name), withDestinationURL: elsewhere)
        mkfifo(directory.file(String(repeating: "b", count: 32) + ".answer").path, 0o600)
        let origin = try CacheFixture(directory.cache())
        #expect(origin.says() == "miss: nothing is stored")
        #expect(directory.names == ["elsewhere"])
    }

    @Test
    func `an answer whose file disappears is a miss, and then it is gone`() throws {
        let origin = try CacheFixture(directory.cache())
        origin.store(CacheFolder.fresh)
        origin.cache.waitForDisk()
        try FileManager.default.removeItem(at: directory.file(try #require(directory.names.first)))
        #expect(origin.says() == "miss: what was stored is damaged")
        #expect(origin.says() == "miss: nothing is stored")
        #expect(origin.cache.currentDiskUsage == 0)
    }

    @Test(arguments: 0..<5)
    func `a process killed while it writes leaves a cache that opens`(round: Int) async throws {
        do {
            let old = try CacheFixture(directory.cache(disk: 64 << 20))
            old.store(CacheFolder.fresh, body: "old")
            old.cache.waitForDisk()
        }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [url = directory.url as URL, round = round as Int] in
            let origin = try CacheFixture(
                ResponseCache(memoryCapacity: 0, diskCapacity: 64 << 20, directory: url))
            let body = String(repeating: "v", count: 200_000)
            for count in 0..<1_000_000 {
                // From here on any moment will do, in the middle of a write or between two.
                if count == 10 + round * 7 {
                    Thread.detachNewThread { kill(getpid(), SIGKILL) }
                }
                origin.store(
                    [("Cache-Control", "max-age=60")],
                    to: CacheFixture.request("/\(count % 100)"), body: body)
                origin.cache.waitForDisk()
            }
        }
        let again = try CacheFixture(directory.cache(disk: 64 << 20))
        #expect(again.decide().answer.map { String(decoding: $0.body, as: UTF8.self) } == "old")
        for count in 0..<100 {
            let answer = again.decide(CacheFixture.request("/\(count)")).answer
            #expect(answer == nil || answer?.body.count == 200_000)
        }
    }
}
