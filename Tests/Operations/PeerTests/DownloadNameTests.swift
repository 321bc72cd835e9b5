import CurlConnection
import OperationNetworking
import TestSupport

/// What the fault server suggests as names, as downloads into one folder.
@Suite(
    "Case R73: names for downloads", .timeLimit(.minutes(1)),
    .enabled(if: FaultPeer.isAvailable, FaultPeer.need))
struct DownloadNameTests {
    /// Where the download ends up in a folder that has a `pwned`; nil: it fails.
    private static let places: [String: String?] = [
        "/disp-traversal": "pwned-2", "/disp-absolute": "pwned-3", "/disp-backslash": "pwned.exe",
        "/disp-encoded": "pwned-4", "/disp-nul": nil, "/disp-dots": "disp-dots",
        "/disp-dotfile": "bashrc", "/disp-empty": "disp-empty", "/disp-utf8": "na\u{EF}ve.txt",
        "/disp-latin1": "na\u{EF}ve-2.txt", "/disp-crlf": "a%0d%0ab",
        "/disp-long": String(repeating: "a", count: 251) + ".txt",
        "/disp-rtl": "gpj._txt.exe",
    ]

    @Test
    func
        `R73: a download stays in its folder, under a name that does no harm, and replaces nothing`()
        async throws
    {
        let peer = try FaultPeer.shared.get()
        let paths = try FaultPeer.paths(inGroup: "disposition")
        #expect(paths.count == 13)
        let above = FileManager.default.temporaryDirectory
            .appendingPathComponent("names-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: above) }
        let folder = above.appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let mine = folder.appendingPathComponent("pwned")
        try Data("mine".utf8).write(to: mine)
        for path in paths {
            let place = try #require(Self.places[path], "\(path)")
            let file = try await download(peer.url(path), to: folder)
            #expect(file?.lastPathComponent == place, "\(path)")
            if let file {
                #expect(file.deletingLastPathComponent().path == folder.path)
                #expect(try Data(contentsOf: file) == Data("payload".utf8), "\(path)")
            }
        }
        #expect(try Data(contentsOf: mine) == Data("mine".utf8))
        let there = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(there) == Set(Self.places.values.compactMap { $0 } + ["pwned"]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: above.path) == ["folder"])
    }

    /// Streams into a part, which at its end gets the name that the answer suggests.
    private func download(_ url: URL, to folder: URL) async throws -> URL? {
        let part = folder.appendingPathComponent(".part-" + UUID().uuidString)
        let client = PeerClient()
        let made = Locked<HTTPRequestOperation?>(nil)
        let ending = await client.run(URLRequest(url: url, timeoutInterval: 5)) { operation in
            operation.outputStream = OutputStream(url: part, append: false)
            made.withLock { $0 = operation }
        }
        guard ending.isSuccess, let response = made.withLock({ $0?.response }) else {
            #expect(ending.urlCode == .badServerResponse)
            try? FileManager.default.removeItem(at: part)
            return nil
        }
        return try response.moveDownload(at: part, into: folder)
    }
}
