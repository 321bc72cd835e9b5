import TestSupport

@testable import HTTPSemantics

@Suite("Two storages on one file of cookies", .timeLimit(.minutes(2)))
struct SharedCookieFileTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.file("jar.json") }

    private func open() throws -> CookieWorld {
        CookieWorld(try CookieStorage(file: file, at: CookieWorld.start))
    }

    @Test
    func `what each stores is in the file, whoever writes last`() throws {
        var (one, other) = (try open(), try open())
        one.store("a=1; Max-Age=100", from: "http://h.net/")
        try one.storage.flush()
        other.now += 1
        other.store("b=2; Max-Age=100", from: "http://h.net/")
        try other.storage.flush()
        #expect(try open().header(for: "http://h.net/") == "a=1; b=2")
        // The one that wrote last has seen the other's, and the next to write sees the last one's.
        #expect(other.header(for: "http://h.net/") == "a=1; b=2")
        one.now += 2
        one.store("c=3; Max-Age=100", from: "http://h.net/")
        try one.storage.flush()
        #expect(one.header(for: "http://h.net/") == "a=1; b=2; c=3")
    }

    @Test
    func `what one removes or replaces, the other does not bring back`() throws {
        let one = try open()
        one.store("a=1; Max-Age=100", "b=1; Max-Age=100", from: "http://h.net/")
        try one.storage.flush()
        var other = try open()
        other.now += 1
        one.store("a=1; Max-Age=0", "b=2; Max-Age=100", from: "http://h.net/")
        try one.storage.flush()
        other.store("c=1; Max-Age=100", from: "http://h.net/")
        try other.storage.flush()
        #expect(other.header(for: "http://h.net/") == "b=2; c=1")
        #expect(try open().header(for: "http://h.net/") == "b=2; c=1")
    }

    @Test
    func `a cookie that both changed is the last writer's`() throws {
        let (one, other) = (try open(), try open())
        one.store("a=1; Max-Age=100", from: "http://h.net/")
        try one.storage.flush()
        // It does not know yet what the file holds.
        other.store("a=2; Max-Age=100", from: "http://h.net/")
        try other.storage.flush()
        #expect(try open().header(for: "http://h.net/") == "a=2")
    }

    @Test
    func `written at the same time from many threads, none is lost`() throws {
        let worlds = try (0..<4).map { _ in try open() }
        DispatchQueue.concurrentPerform(iterations: worlds.count) { number in
            for count in 0..<20 {
                worlds[number].store(
                    "n\(number)-\(count)=1; Max-Age=100", from: "http://h.net/")
                do { try worlds[number].storage.flush() } catch { Issue.record(error) }
            }
        }
        #expect(try open().storage.cookies.count == 80)
        #expect(folder.names == ["jar.json"])
    }

    @Test
    func `a file that was deleted is written again, with all cookies`() throws {
        let world = try open()
        world.store("a=1; Max-Age=100", from: "http://h.net/")
        try world.storage.flush()
        try FileManager.default.removeItem(at: file)
        world.store("b=1; Max-Age=100", from: "http://h.net/")
        try world.storage.flush()
        #expect(try open().header(for: "http://h.net/") == "a=1; b=1")
    }

    @Test
    func `a file that was damaged meanwhile is an error and stays as it is`() throws {
        let world = try open()
        world.store("a=1; Max-Age=100", from: "http://h.net/")
        try world.storage.flush()
        try Data("{".utf8).write(to: file)
        world.store("b=1; Max-Age=100", from: "http://h.net/")
        let error = #expect(throws: CookieStorageError.self) { try world.storage.flush() }
        #expect(error?.code == .damaged)
        #expect(try Data(contentsOf: file) == Data("{".utf8))
    }
}
