import TestSupport

@testable import HTTPSemantics

@Suite("Cookies in a file", .timeLimit(.minutes(2)))
struct CookieFileTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.file("jar.json") }

    private func open(at now: Date = CookieWorld.start) throws -> CookieWorld {
        var world = CookieWorld(try CookieStorage(file: file, at: now))
        world.now = now
        return world
    }

    private func expect(_ code: CookieStorageError.Code, _ body: () throws -> Void) {
        let error = #expect(throws: CookieStorageError.self) { try body() }
        #expect(error?.code == code)
        #expect(error?.file == file)
        #expect(error?.localizedDescription.contains(file.path) == true)
    }

    @Test
    func `cookies outlive their storage with all they are; those of the session do not`() throws {
        let first = try open()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        first.store(
            "host=1; Max-Age=100; HttpOnly",
            "z=\"ü;\"; Path=/in; Max-Age=100; Secure; Domain=h.co.uk",
            "a=1; Path=/in; Max-Age=50", "session=1", from: "https://www.h.co.uk/")
        try first.storage.flush()
        let later = CookieWorld.start + 20
        let second = try open(at: later)
        #expect(second.header(for: "https://www.h.co.uk/in") == "z=\"ü; a=1; host=1")
        #expect(second.header(for: "http://www.h.co.uk/in") == "a=1; host=1")
        #expect(second.header(for: "https://h.co.uk/in") == "z=\"ü")
        #expect(second.storage.cookies.filter(\.isHTTPOnly).map(\.name) == ["host"])
        #expect(try open(at: later + 30).header(for: "http://www.h.co.uk/in") == "host=1")
        #expect(try open(at: later + 80).storage.cookies.isEmpty)
    }

    @Test
    func `the file is its owner's alone, replaced and not rewritten, and nothing lies beside it`()
        throws
    {
        let world = try open()
        world.store("a=1; Max-Age=100", from: "http://h.net/")
        try world.storage.flush()
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let old = try FileHandle(forReadingFrom: file)
        world.store("a=2; Max-Age=100", from: "http://h.net/")
        try world.storage.flush()
        let text = String(decoding: try old.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.contains("\"value\":\"1\""))
        #expect(try open().header(for: "http://h.net/") == "a=2")
        #expect(folder.names == ["jar.json"])
    }

    @Test
    func `what is removed is removed from the file`() throws {
        let world = try open()
        world.store(
            "a=1; Max-Age=100", "b=1; Max-Age=100", "c=1; Max-Age=100", from: "http://h.net/")
        world.store("b=1; Max-Age=0", "c=1", from: "http://h.net/")
        try world.storage.flush()
        #expect(try open().header(for: "http://h.net/") == "a=1")
        world.storage.removeAll()
        try world.storage.flush()
        #expect(try open().storage.cookies.isEmpty)
    }

    @Test
    func `a change is written without a flush, before the storage is gone`() throws {
        try open().store("a=1; Max-Age=100", from: "http://h.net/")
        let deadline = Date() + 20
        while try open().header(for: "http://h.net/") == nil, Date() < deadline {}
        #expect(try open().header(for: "http://h.net/") == "a=1")
    }

    @Test(
        arguments: [
            "", "{", "[]", "null", "\u{0}", "{\"version\":1}", "{\"version\":2,\"cookies\":[]}",
        ])
    func `a damaged file is an error and stays as it is`(_ content: String) throws {
        try Data(content.utf8).write(to: file)
        expect(.damaged) { _ = try CookieStorage(file: file) }
        #expect(try Data(contentsOf: file) == Data(content.utf8))
    }

    @Test
    func `a file cut anywhere is an error, never some of the cookies`() throws {
        let world = try open()
        world.store("a=1; Max-Age=100", "b=2; Max-Age=100", from: "http://h.net/")
        try world.storage.flush()
        let whole = try Data(contentsOf: file)
        for length in stride(from: 0, to: whole.count, by: 7) {
            try whole.prefix(length).write(to: file)
            expect(.damaged) { _ = try CookieStorage(file: file) }
        }
    }

    @Test
    func `cookies that another program wrote into the file are ignored unless they are valid`()
        throws
    {
        let world = try open()
        world.store("a=1; Max-Age=100; Domain=evil.co.uk", from: "https://evil.co.uk/")
        try world.storage.flush()
        let good = try String(contentsOf: file, encoding: .utf8)
        for (old, new) in [
            ("evil.co.uk", "co.uk"), ("evil.co.uk", ".."), ("\"a\"", "\"__Host-a\""),
            ("\"1\"", "\"1\\r\\nX: y\""), ("\"1\"", "\"1; b=2\""), ("\"/\"", "\"\""),
        ] {
            #expect(good.contains(old))
            try Data(good.replacing(old, with: new).utf8).write(to: file)
            let changed = try open()
            #expect(changed.header(for: "https://evil.co.uk/") == nil, "\(new)")
            #expect(changed.header(for: "https://other.co.uk/") == nil, "\(new)")
        }
    }

    @Test
    func `what cannot be read is an error, and so is what cannot be written`() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        expect(.unreadable) { _ = try CookieStorage(file: file) }
        try FileManager.default.removeItem(at: file)
        let world = try open()
        world.store("a=1; Max-Age=100", from: "http://h.net/")
        try world.storage.flush()
        try FileManager.default.removeItem(at: folder.url)
        world.store("a=2; Max-Age=100", from: "http://h.net/")
        expect(.unwritable) { try world.storage.flush() }
        #expect(world.header(for: "http://h.net/") == "a=2")
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
        try world.storage.flush()
        #expect(try open().header(for: "http://h.net/") == "a=2")
        let remote = CookieWorld.url("http://h.net/jar.json")
        #expect(throws: CookieStorageError.self) { _ = try CookieStorage(file: remote) }
    }

    @Test(arguments: 0..<5)
    func `a process killed while it writes leaves a file that opens`(_ round: Int) async throws {
        let world = try open()
        world.store("old=1; Max-Age=100000", from: "http://h.net/")
        try world.storage.flush()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [file = file as URL, round = round as Int] in
            let storage = try CookieStorage(file: file, at: CookieWorld.start)
            let value = String(repeating: "v", count: 4_000)
            for count in 0..<1_000_000 {
                // From here on any moment will do, in the middle of a write or between two.
                if count == 10 + round * 7 {
                    Thread.detachNewThread { kill(getpid(), SIGKILL) }
                }
                storage.store(
                    setCookieFields: ["c\(count % 150)=\(value); Max-Age=100000"],
                    from: CookieWorld.url("http://h.net/"), at: CookieWorld.start)
                try storage.flush()
            }
        }
        #expect(try open().header(for: "http://h.net/")?.hasPrefix("old=1") == true)
    }
}
