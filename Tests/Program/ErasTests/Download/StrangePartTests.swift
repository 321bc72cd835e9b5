import OperationNetworking
import TestSupport

@testable import eras

/// What may lie where a part or its record goes, and is somebody else's.
enum StrangePlace: String, CaseIterable, Sendable {
    case file, link, linkToNothing, otherName, pipe

    /// Makes it at a path. What it leads to, or its other name, is `victim` in the same folder.
    func make(_ path: String, victim: String) throws {
        let bytes = Data("mine".utf8)
        if self != .linkToNothing { try bytes.write(to: URL(fileURLWithPath: victim)) }
        switch self {
        case .file: try bytes.write(to: URL(fileURLWithPath: path))
        case .link, .linkToNothing: #expect(symlink(victim, path) == 0)
        case .otherName: #expect(Foundation.link(victim, path) == 0)
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        }
    }
}

@Suite("Parts that another program made", .timeLimit(.minutes(2)))
struct StrangePartTests {
    @Test(arguments: StrangePlace.allCases)
    func `a part that no download made is left as it is, and reported`(place: StrangePlace)
        async throws
    {
        let world = TestWorld()
        let part = "\(world.directory)/ok.part"
        let victim = "\(world.directory)/victim"
        try place.make(part, victim: victim)
        let before = world.names
        let result = try #require(
            await world.fetch("/ok", settings: Fetcher.Settings(retries: 0)).first)
        #expect(
            result.error == "\(part) is there already, and no download made it. It was left as it "
                + "is. Use --force to replace it, or another directory with -o.")
        #expect(world.names == before)
        #expect(world.contents("victim") == (place == .linkToNothing ? nil : Data("mine".utf8)))
        if place == .file { #expect(world.contents("ok.part") == Data("mine".utf8)) }
    }

    @Test(arguments: StrangePlace.allCases)
    func `with force it is replaced, and nothing is written through a link`(place: StrangePlace)
        async throws
    {
        let world = TestWorld()
        let victim = "\(world.directory)/victim"
        try place.make("\(world.directory)/ok.part", victim: victim)
        var settings = Fetcher.Settings(retries: 0)
        settings.isForced = true
        let result = try #require(await world.fetch("/ok", settings: settings).first)
        #expect(result.error == nil)
        #expect(world.contents("ok") == Data("hello world".utf8))
        #expect(world.contents("victim") == (place == .linkToNothing ? nil : Data("mine".utf8)))
        #expect(world.names == (place == .linkToNothing ? ["ok"] : ["ok", "victim"]))
    }

    @Test(arguments: StrangePlace.allCases)
    func `another file with the record's name is not read, written or removed`(place: StrangePlace)
        async throws
    {
        let world = TestWorld()
        let victim = "\(world.directory)/victim"
        try place.make("\(world.directory)/ok.part.json", victim: victim)
        let before = world.names
        let result = try #require(
            await world.fetch("/ok", settings: Fetcher.Settings(retries: 0)).first)
        #expect(result.error?.contains("ok.part.json is there already, and no download") == true)
        #expect(world.names == before)
        #expect(world.contents("victim") == (place == .linkToNothing ? nil : Data("mine".utf8)))
    }

    @Test func `a part that this program left without a record is its own`() async throws {
        let world = TestWorld()
        let once = Fetcher.Settings(retries: 0)
        let path = "/truncated?length=1000&sent=100"
        for _ in 1...2 {
            let result = try #require(await world.fetch(path, settings: once).first)
            #expect(result.error?.contains("broke off") == true, "\(result.error ?? "")")
            #expect(world.contents("truncated.part")?.count == 100)
        }
    }

    /// The program marks the file first, and then gives it its name.
    @Test func `a whole file of a process that was killed before the rename is its own`()
        async throws
    {
        let world = TestWorld()
        let once = Fetcher.Settings(retries: 0)
        let part = "\(world.directory)/ok.part"
        for (path, isOwn) in [("/ok", true), ("/another", false)] {
            try Data("hello world".utf8).write(to: URL(fileURLWithPath: part))
            FileOrigin.mark(part, world.address(path))
            let result = try #require(await world.fetch("/ok", settings: once).first)
            #expect((result.error == nil) == isOwn, "\(result.error ?? "")")
            try? FileManager.default.removeItem(atPath: "\(world.directory)/ok")
        }
        // Changed since, by whoever did it.
        try Data("hello world".utf8).write(to: URL(fileURLWithPath: part))
        FileOrigin.mark(part, world.address("/ok"))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: part))
        let result = try #require(await world.fetch("/ok", settings: once).first)
        #expect(result.error?.contains("no download made it") == true)
        #expect(world.contents("ok.part") == Data("mine".utf8))
    }

    @Test func `a pipe under a name that a server gives is not waited for`() async throws {
        let world = TestWorld()
        world.server.add("/download") { _ in
            .text("named", headers: [("Content-Disposition", "attachment; filename=x")])
        }
        #expect(mkfifo("\(world.directory)/x", 0o600) == 0)
        var settings = Fetcher.Settings(retries: 0)
        settings.usesServerNames = true
        let result = try #require(await world.fetch("/download", settings: settings).first)
        #expect(result.error == nil && world.contents("x-2") == Data("named".utf8))
    }
}
