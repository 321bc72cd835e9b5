import SmallPort8Completion
import TestSupport

@testable import Lessons

@Suite("The small port", .timeLimit(.minutes(5)))
struct SmallPortTests {
    private static let root = LessonText.root
    private static let folder = root.appendingPathComponent("Lessons/SmallPort")

    private static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private static func lines(_ state: String, _ file: String) -> [Substring] {
        let path = folder.appendingPathComponent("\(state)/\(file)")
        let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// A running server, an operation's end, and what came of it.
    private func fetch(
        _ response: ScriptedResponse, mistake: Mistake? = nil
    ) async throws -> Result<Data, ConnectionError> {
        let server = LoopbackServer(routes: Routes())
        server.add("/it") { _ in response }
        try server.start()
        defer { server.stop() }
        let thread = NetworkThread()
        defer { thread.stop() }
        let log = Log<Result<Data, ConnectionError>>()
        URLOperation(server.url("/it"), on: thread, mistake: mistake) { log.add($0) }.start()
        #expect(await log.reaches(1))
        return try #require(log.all.first)
    }

    // MARK: What it does

    @Test
    func `a body of many pieces comes whole`() async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        #expect(try await fetch(.data(body)).get() == body)
    }

    @Test
    func `an empty body is a success, and a body that ends with the connection too`() async throws {
        #expect(try await fetch(.data(Data())).get() == Data())
        let steps: [ScriptedResponse.Step] = [
            .bytes(ScriptedResponse.head(200)), .bytes(Data("all".utf8)), .close,
        ]
        #expect(try await fetch(ScriptedResponse(steps)).get() == Data("all".utf8))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", ConnectionError.cutShort),
        ("HTTP/1.1 200 OK\r\nContent-Le", .cutShort), ("", .cutShort),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .badResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", .badResponse),
        ("SSH-2.0-OpenSSH\r\n\r\n", .badResponse),
    ])
    func `what is cut or no HTTP is no success`(
        _ bytes: String, _ error: ConnectionError
    ) async throws {
        let response = ScriptedResponse([.bytes(Data(bytes.utf8)), .close])
        #expect(try await fetch(response) == .failure(error))
    }

    @Test
    func `a port without a listener is an error of the system`() async throws {
        let server = LoopbackServer.started(routes: Routes())
        let url = server.url("/it")
        server.stop()
        let thread = NetworkThread()
        defer { thread.stop() }
        let log = Log<Result<Data, ConnectionError>>()
        URLOperation(url, on: thread) { log.add($0) }.start()
        #expect(await log.reaches(1))
        #expect(log.all == [.failure(.system(ECONNREFUSED))])
    }

    @Test
    func `five hundred requests share one thread, and each completes once`() async throws {
        let server = LoopbackServer(routes: Routes())
        server.add("/it") { _ in .text("it") }
        try server.start()
        defer { server.stop() }
        let thread = NetworkThread()
        defer { thread.stop() }
        let (log, queue) = (Log<Result<Data, ConnectionError>>(), OperationQueue())
        queue.maxConcurrentOperationCount = 20
        for number in 0..<500 {
            let operation = URLOperation(server.url("/it"), on: thread) { log.add($0) }
            queue.addOperation(operation)
            if number.isMultiple(of: 3) { operation.cancel() }
        }
        #expect(await log.reaches(500))
        await settle(queue)
        #expect(log.all.count == 500)
        #expect(log.all.count { $0 == .success(Data("it".utf8)) } >= 300)
        #expect(thread.trespasses == 0)
    }

    private func settle(_ queue: OperationQueue) async {
        await onNewThread { queue.waitUntilAllOperationsAreFinished() }
    }

    @Test
    func `a cancelled operation that was never started ends when its queue starts it`() async {
        let thread = NetworkThread()
        defer { thread.stop() }
        let log = Log<Result<Data, ConnectionError>>()
        let url = URL(fileURLWithPath: "/")
        let operation = URLOperation(url, on: thread) { log.add($0) }
        operation.cancel()
        operation.cancel()
        #expect(!operation.isFinished && log.all.isEmpty)
        let queue = OperationQueue()
        queue.addOperation(operation)
        #expect(await log.reaches(1))
        #expect(log.all == [.failure(.cancelled)])
    }

    @Test
    func `two ends make one completion, which the operation then releases`() async throws {
        let server = LoopbackServer(routes: Routes())
        server.add("/it") { _ in .text("it") }
        try server.start()
        defer { server.stop() }
        let thread = NetworkThread()
        defer { thread.stop() }
        let (log, gone) = (Log<Result<Data, ConnectionError>>(), Signal())
        let operation = {
            let sentinel = Sentinel(gone)
            return URLOperation(server.url("/it"), on: thread) {
                sentinel.touch()
                log.add($0)
            }
        }()
        let itself = Watched<URLOperation?>(operation)
        defer { itself.change { $0 = nil } }
        // A cancel that comes while the end is being announced: the network thread has it next.
        operation.observer = { key, isAfter in
            if key == "isFinished", !isAfter { itself.now?.cancel() }
        }
        operation.start()
        #expect(await gone.wait())
        #expect(operation.isCancelled && operation.isFinished)
        #expect(log.all == [.success(Data("it".utf8))])
    }

    // MARK: How it grows

    @Test
    func `the last state is about four hundred lines, and each state differs by little`() throws {
        let states = try Self.names(in: Self.folder)
        #expect(states.count == 8)
        let files = try states.map { try Self.names(in: Self.folder.appendingPathComponent($0)) }
        let counts = zip(states, files).map { state, names in
            names.map { Self.lines(state, $0).count - 1 }.reduce(0, +)
        }
        print("lines of the states: \(counts)")
        #expect(counts.max() == counts[7] && (350...450).contains(counts[7]))
        for index in 1..<8 {
            let names = Set(files[index]).union(files[index - 1])
            let changed = names.map { name in
                Self.lines(states[index], name).difference(
                    from: Self.lines(states[index - 1], name)
                )
                .count
            }.reduce(0, +)
            #expect(changed < 190, "\(states[index]): \(changed)")
            let isSame =
                files[index - 1].contains("Connection.swift")
                && Self.lines(states[index], "Connection.swift")
                    == Self.lines(states[index - 1], "Connection.swift")
            #expect(isSame, "\(states[index])")
        }
    }

    @Test
    func `each mistake of a state is one line, or two`() throws {
        for state in try Self.names(in: Self.folder) {
            let names = try Self.names(in: Self.folder.appendingPathComponent(state))
            let lines = names.flatMap { Self.lines(state, $0) }
            let mistakes = lines.drop { !$0.hasPrefix("public enum Mistake") }.prefix { $0 != "}" }
                .compactMap { $0.firstMatch(of: /^    case ([a-zA-Z0-9]+)$/)?.1 }
            #expect((1...3).contains(mistakes.count), "\(state)")
            for mistake in mistakes {
                let uses = lines.count { $0.contains(".\(mistake)") }
                #expect((1...2).contains(uses), "\(state): \(mistake)")
            }
        }
    }

    @Test
    func `the table beside the small port names files that are there, and all of its own`() throws {
        let page = Self.root.appendingPathComponent("Documentation/Lessons/SmallPort.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count >= 15)
        var own: Set<String> = []
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 3, "\(row)")
            let line = try #require(cells[0].firstMatch(of: /`([A-Za-z]+\.swift)`, `([^`]+)`/))
            own.insert(String(line.1))
            let source = Self.lines("8-Completion", String(line.1))
            #expect(source.contains { $0.contains(line.2) }, "\(row)")
            let files = cells[1].matches(of: /`([^`]+\.swift)`/).map(\.1)
            #expect(!files.isEmpty, "\(row)")
            for file in files {
                let parts = file.split(separator: "/", maxSplits: 1).map(String.init)
                let path = try sourceFolder(of: parts[0]).appendingPathComponent(parts[1]).path
                #expect(FileManager.default.fileExists(atPath: path), "\(file)")
            }
        }
        #expect(own == Set(try Self.names(in: Self.folder.appendingPathComponent("8-Completion"))))
    }
}
