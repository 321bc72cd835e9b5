import CurlConnection
import OperationNetworking
import TestSupport

/// Acceptance cases of operations and of the requests they send, under their ids.
@Suite(
    "Cases R24 to R76: operations and requests", .timeLimit(.minutes(1)),
    .enabled(if: FaultPeer.isAvailable, FaultPeer.need))
struct OperationCaseTests {
    private let client = PeerClient()

    private func peer() throws -> FaultPeer { try FaultPeer.shared.get() }

    // MARK: Pausing

    private static let slow = "/slow-body?gap=0.05&n=20"
    private static let slowText = String(repeating: "x", count: 20)

    /// Runs the slow request; `act` sees the operation once it has a byte.
    private func run(
        _ url: URL, act: @escaping @Sendable (HTTPRequestOperation) async -> Void
    ) async -> Ending {
        let (made, begun) = (Locked<HTTPRequestOperation?>(nil), Signal())
        async let ended = client.run(URLRequest(url: url, timeoutInterval: 5)) { operation in
            operation.resume()
            #expect(operation.isReady, "To resume what was not paused changes nothing.")
            operation.setDownloadProgressBlock { _, _, _ in begun.fire() }
            made.withLock { $0 = operation }
        }
        await begun.wait(for: 1, "the first byte")
        if let operation = made.withLock({ $0 }) { await act(operation) }
        return await ended
    }

    @Test
    func `R24: a pause closes the connection, a resume brings the whole body`() async throws {
        let peer = try FaultPeer()
        defer { peer.stop() }
        let counter = PeerClient(thread: NetworkThread(name: "counter"))
        let ending = await run(peer.url(Self.slow)) { operation in
            for _ in 1...2 {
                operation.pause()
                #expect(operation.isPaused)
                #expect(!operation.isExecuting && !operation.isFinished && !operation.isCancelled)
            }
            let isAlone = {
                await counter.get(peer.url("/__stats")).text?.contains("\"open\": 1,") == true
            }
            #expect(await eventually(isAlone))
            #expect(operation.isPaused)
            operation.resume()
            #expect(operation.isExecuting && !operation.isPaused)
        }
        #expect(ending.isSuccess)
        #expect(ending.text == Self.slowText)
        #expect(client.endedTwice == 0)
    }

    @Test
    func `R24: a resume without a pause changes nothing`() async throws {
        let peer = try FaultPeer()
        defer { peer.stop() }
        let ending = await run(peer.url(Self.slow)) { operation in
            operation.resume()
            #expect(operation.isExecuting)
        }
        #expect(ending.text == Self.slowText)
        #expect(try await client.log(of: peer).count == 1)
        #expect(client.endedTwice == 0)
    }

    @Test
    func `R24: a paused operation that is cancelled ends, once`() async throws {
        let ending = await run(try peer().url(Self.slow)) { operation in
            operation.pause()
            operation.cancel()
            operation.resume()
            #expect(operation.isCancelled)
        }
        #expect(ending.urlCode == .cancelled)
        // Twice would come on the same queue.
        client.queue.sync {}
        #expect(client.endedTwice == 0)
    }

    @Test
    func `R24: ten operations in a queue of three are paused and resumed`() async throws {
        let url = try peer().url("/slow-body?gap=0.02&n=10")
        client.manager.maxConcurrentOperationCount = 3
        let (made, begun) = (Watched<[HTTPRequestOperation]>([]), Signal())
        let texts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    await client.run(URLRequest(url: url, timeoutInterval: 5)) { operation in
                        operation.setDownloadProgressBlock { _, _, _ in begun.fire() }
                        made.change { $0.append(operation) }
                    }.text
                }
            }
            await made.wait(until: "all of them") { $0.count == 10 }
            await begun.wait(for: 1, "the first byte")
            let all = made.now.filter { !$0.isFinished }
            #expect(all.count >= 7)
            all.forEach { $0.pause() }
            #expect(all.allSatisfy { $0.isPaused || $0.isFinished })
            #expect(client.manager.operations.count >= 7)
            all.forEach { $0.resume() }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: String(repeating: "x", count: 10), count: 10))
        #expect(client.endedTwice == 0)
    }

    // MARK: Many operations

    @Test
    func `R28: a batch of 500 has 500 completions, then its own`() async throws {
        let url = try peer().url("/ok")
        let ended = Locked(0)
        let progress = Locked<[[Int]]>([])
        client.manager.maxConcurrentOperationCount = 16
        let operations = (0..<500).map { _ in
            client.manager.httpRequestOperation(
                with: URLRequest(url: url, timeoutInterval: 20),
                success: { _, _ in ended.withLock { $0 += 1 } }, failure: { _, _ in })
        }
        let endedBefore = await withCheckedContinuation { continuation in
            client.manager.enqueue(
                batch: operations,
                progress: { finished, all in progress.withLock { $0.append([finished, all]) } },
                completion: { _ in continuation.resume(returning: ended.withLock { $0 }) })
        }
        #expect(endedBefore == 500)
        let seen = progress.withLock { $0 }
        #expect(seen.count == 500)
        #expect(seen.last == [500, 500])
        #expect(seen.allSatisfy { $0[1] == 500 })
    }

    @Test
    func `R30: fifty operations in a chain run in order, past one that fails`() async throws {
        let peer = try FaultPeer()
        defer { peer.stop() }
        let paths = (0..<50).map { $0 == 25 ? "/status?code=500" : "/ok?number=\($0)" }
        let operations = paths.map {
            client.manager.httpRequestOperation(
                with: URLRequest(url: peer.url($0), timeoutInterval: 5), success: nil, failure: nil)
        }
        for (operation, next) in zip(operations, operations.dropFirst()) {
            next.addDependency(operation)
        }
        operations.reversed().forEach(client.manager.enqueue)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                operations.last?.waitUntilFinished()
                continuation.resume()
            }
        }
        #expect(operations.allSatisfy { $0.isFinished })
        let log = try await client.log(of: peer)
        #expect(log.map(\.target) == paths)
        let statuses = operations.map { $0.response?.statusCode }
        #expect(statuses.enumerated().allSatisfy { $1 == ($0 == 25 ? 500 : 200) })
    }

    // MARK: Query strings

    /// What a server reads in a query: fields and values, decoded.
    private func sent(_ parameters: [String: Any]) async throws -> (raw: String, pairs: [String]) {
        struct Echo: Decodable { var target: String }
        let request = try client.manager.requestSerializer.request(
            method: "GET", urlString: peer().url("/echo").absoluteString, parameters: parameters)
        let ending = await client.run(request)
        let target = try JSONDecoder().decode(Echo.self, from: #require(ending.data)).target
        let raw = String(target.dropFirst("/echo?".count))
        let pairs = try raw.split(separator: "&", omittingEmptySubsequences: false).map {
            let parts = $0.split(separator: "=", omittingEmptySubsequences: false)
            #expect(parts.count == 2, "\($0)")
            return try parts.map { try #require($0.removingPercentEncoding) }
                .joined(separator: " -> ")
        }
        return (raw, pairs.sorted())
    }

    @Test
    func `R76: parameters of every kind arrive as they are, and none is added`() async throws {
        let nested: [String: Any] = ["user": ["name": "Ann", "tags": ["x", "y"]] as [String: Any]]
        #expect(
            try await sent(nested).pairs == [
                "user[name] -> Ann", "user[tags][] -> x", "user[tags][] -> y",
            ])
        let words = try await sent(["gr\u{FC}\u{DF}e": "\u{2603}", "face": "\u{1F600}"])
        #expect(words.raw == "face=%F0%9F%98%80&gr%C3%BC%C3%9Fe=%E2%98%83")
        let forged = try await sent(["a": "1&admin=1", "b&c=d": "+%20#;[]\r\n", "e[f": "]"])
        #expect(
            forged.pairs == ["a -> 1&admin=1", "b&c=d -> +%20#;[]\r\n", "e[f -> ]"])
        #expect(
            forged.raw == "a=1%26admin%3D1&b%26c%3Dd=%2B%2520%23%3B%5B%5D%0D%0A&e%5Bf=%5D")
        #expect(try await sent(["": "v", "w": ""]).pairs == [" -> v", "w -> "])
    }

    @Test
    func `R76: ten thousand parameters arrive`() async throws {
        let names = (0..<10_000).map { "key\($0)" }
        let parameters = Dictionary(uniqueKeysWithValues: names.map { ($0, "\($0.count)") })
        let pairs = try await sent(parameters).pairs
        #expect(pairs == names.map { "\($0) -> \($0.count)" }.sorted())
    }
}

/// A request as the fault server's log has it.
struct LoggedRequest: Decodable {
    var method: String
    var target: String
    var headers: [[String]]

    subscript(name: String) -> String? {
        headers.first { $0.first?.lowercased() == name.lowercased() }?.last
    }
}

extension PeerClient {
    /// The requests a peer has seen, in their order.
    func log(of peer: FaultPeer) async throws -> [LoggedRequest] {
        let data = try #require(await get(peer.url("/__log")).data)
        return try JSONDecoder().decode([LoggedRequest].self, from: data)
    }
}
