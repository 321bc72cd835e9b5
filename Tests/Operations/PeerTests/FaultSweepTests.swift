import CurlConnection
import OperationNetworking
import ProcessUse
import TestSupport

/// Every way the fault server knows to misbehave, beside what the curl command makes of it.
@Suite(
    "All paths of the fault server", .serialized, .timeLimit(.minutes(5)),
    .enabled(if: FaultPeer.isAvailable, FaultPeer.need))
struct FaultSweepTests {
    /// Where we take what curl refuses, with the reason.
    private static let allowed = [
        "/gzip-junk": "What follows the last member is no part of the body, as browsers have it.",
        "/gzip-members": "RFC 1952 section 2.2: a gzip file may have several members.",
    ]

    private static let atOnce = 6

    @Test
    func `each path ends once, in time, in little memory, and as strictly as with curl or more`()
        async throws
    {
        let peer = try FaultPeer()
        defer { peer.stop() }
        let paths = try FaultPeer.paths()
        #expect(paths.count == 267)
        let client = PeerClient()
        try await prepare(peer, client)
        let memory = try PeakMemory.reset()
        let table = try CurlTable.stored()
        let load = { @Sendable (path: String) in
            await client.run(URLRequest(url: peer.url(path), timeoutInterval: 5)) {
                $0.timeoutIntervalForResource = 5
                // Like curl: no connection that another fault has used.
                $0.networkThread = NetworkThread(name: "sweep")
            }
        }
        var endings = await each(of: paths, load)
        // The server is one thread: one that is slow beside others is asked again alone.
        for path in paths where endings[path]?.urlCode == .timedOut && table[path]?.exit == 0 {
            endings[path] = await load(path)
        }
        let growth = try PeakMemory.now() - memory
        print("The sweep took \(growth >> 20) MiB of memory.")
        if PeakMemory.isMeaningful { #expect(growth < 200 << 20) }
        #expect(client.endedTwice == 0)
        try compare(endings, of: paths, with: table)
    }

    private func compare(
        _ endings: [String: Ending], of paths: [String], with table: [String: CurlTable.Verdict]
    ) throws {
        var stricter: [String] = []
        for path in paths {
            let ending = try #require(endings[path])
            let curl = try #require(table[path], "\(path) is not in the table.")
            #expect(ending.seconds < 6, "\(path)")
            switch (ending.urlCode, curl.exit) {
            case (nil, 0): #expect(ending.status == curl.status, "\(path)")
            case (nil, _): #expect(Self.allowed[path] != nil, "\(path): curl says \(curl)")
            case (let code?, 0):
                let words = ending.error?.localizedDescription ?? ""
                stricter.append("  \(path): \(code.rawValue) \(words)")
            case (.some, _): break
            }
        }
        print("Stricter than curl \(CurlTable.version), \(stricter.count) of \(paths.count) paths:")
        print(stricter.joined(separator: "\n"))
    }

    /// Set `CURL_TABLE=write` to make the table anew.
    @Test(
        .enabled(if: CurlTable.command != nil, "Needs curl 7.88.1 (Debian: apt-get install curl)."))
    func `the table of curl's verdicts is what the curl command says`() async throws {
        let peer = try FaultPeer()
        defer { peer.stop() }
        let command = try #require(CurlTable.command)
        try await prepare(peer, PeerClient())
        let ask = { @Sendable (path: String) in
            try await CurlTable.verdict(on: peer.url(path), by: command)
        }
        var said = try await each(of: try FaultPeer.paths(), ask)
        let stored = try CurlTable.stored()
        for (path, verdict) in said where verdict.exit == 28 && stored[path] != verdict {
            said[path] = try await ask(path)
        }
        if ProcessInfo.processInfo.environment["CURL_TABLE"] == "write" {
            return try CurlTable.store(said)
        }
        for (path, verdict) in said.sorted(by: { $0.key < $1.key }) {
            // A bomb, or a body without end, may take curl longer than its limit.
            if verdict.exit == 28, path.hasPrefix("/gzip-bomb") || path == "/infinite-body" {
                continue
            }
            #expect(stored[path] == verdict, "\(path)")
        }
        #expect(stored.count == said.count)
    }

    /// Has the server make what it makes only once and slowly.
    private func prepare(_ peer: FaultPeer, _ client: PeerClient) async throws {
        for path in ["/gzip-bomb", "/gzip-bomb-json", "/gzip-bomb-double"] {
            var request = URLRequest(url: peer.url(path), timeoutInterval: 60)
            request.httpMethod = "HEAD"
            let ending = await client.run(request)
            #expect(ending.status == 200)
        }
    }

    /// One result a path, a few at a time.
    private func each<Result: Sendable>(
        of paths: [String], _ ask: @escaping @Sendable (String) async throws -> Result
    ) async rethrows -> [String: Result] {
        try await withThrowingTaskGroup(of: (String, Result).self) { group in
            var results: [String: Result] = [:]
            for (index, path) in paths.enumerated() {
                if index >= Self.atOnce, let (path, result) = try await group.next() {
                    results[path] = result
                }
                group.addTask { (path, try await ask(path)) }
            }
            for try await (path, result) in group { results[path] = result }
            return results
        }
    }
}
