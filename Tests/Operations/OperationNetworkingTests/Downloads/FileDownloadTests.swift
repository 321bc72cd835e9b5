import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

@Suite("Downloads in one call", .timeLimit(.minutes(2)))
struct FileDownloadTests {
    @Test func `a file arrives whole, with its hash, and leaves nothing beside it`() async throws {
        let world = TestWorld()
        let file = try await world.download("/bytes/300001?seed=4", as: "a")
        let expected = generated(4, 300_001)
        #expect(file.url == world.file("a") && file.length == 300_001 && !file.wasThere)
        #expect(file.sha256 == (try hash(expected)) && file.receivedLength == 300_001)
        #expect(world.contents("a") == expected)
        #expect(world.names == ["a"])
    }

    @Test func `a manager's download has its settings, and calls back on its queue`() async throws {
        let world = TestWorld()
        let manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        manager.completionQueue = DispatchQueue(label: "callbacks")
        manager.requestSerializer.setValue("yes", forHTTPHeaderField: "X-Asked")
        manager.credential = URLCredential(user: "user", password: "pass", persistence: .none)
        let key = DispatchSpecificKey<String>()
        manager.completionQueue?.setSpecific(key: key, value: "ours")
        let results = Log<(Result<DownloadedFile, any Error>, String?)>()
        manager.download("basic", parameters: ["user": "user"], to: world.file("b")) { result in
            results.add((result, DispatchQueue.getSpecific(key: key)))
        }
        #expect(await results.reaches(1))
        let (result, label) = try #require(results.all.first)
        #expect(try result.get().length == 10 && label == "ours")
        #expect(world.contents("b") == Data("authorized".utf8))
        #expect(world.server.requests.allSatisfy { $0.headers["X-Asked"] == "yes" })
    }

    @Test func `the call of the guide works`() async throws {
        let world = TestWorld()
        world.server.add("/image.iso") { .generatedFile(seed: 3, length: 1_000, request: $0) }
        let text = try await wholeFile(
            world.server.baseURL, world.file("a"), try hash(generated(3)))
        #expect(text == "1000 bytes, from 0 on" && world.contents("a") == generated(3))
    }

    @Test func `progress ends with all bytes, before the result`() async throws {
        let world = TestWorld()
        let (seen, end) = (Log<DownloadProgress?>(), Signal())
        let manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        manager.completionQueue = DispatchQueue(label: "callbacks")
        manager.download(world.request("/bytes/5000000"), to: world.file("a")) { _ in
            seen.add(nil)
            end.fire()
        } progress: {
            seen.add($0)
        }
        await end.wait()
        let last = try #require(seen.all.compactMap { $0 }.last)
        #expect(seen.all.last == .some(nil))
        #expect(last.stored == 5_000_000 && last.total == 5_000_000 && last.attempts == 1)
    }

    // MARK: Going on

    @Test func `a part is continued with exactly the missing bytes`() async throws {
        let world = TestWorld()
        try world.leave(generated(3).prefix(400), of: "/bytes/1000?seed=3", as: "a")
        let file = try await world.download("/bytes/1000?seed=3", as: "a")
        #expect(file.resumedFrom == 400 && file.receivedLength == 600)
        #expect(world.ranges == ["bytes=400-"])
        #expect(world.contents("a") == generated(3) && world.names == ["a"])
    }

    @Test func `a part that is not what its record says starts over`() async throws {
        let world = TestWorld()
        var part = Data(generated(3).prefix(400))
        part[17] ^= 1
        try world.leave(
            part, of: "/bytes/1000?seed=3", as: "a", sha256: hash(generated(3).prefix(400)))
        let file = try await world.download("/bytes/1000?seed=3", as: "a")
        #expect(file.resumedFrom == 0 && world.ranges == ["-"])
        #expect(world.contents("a") == generated(3))
    }

    @Test func `after a power cut the part counts up to where it was written through`() async throws
    {
        let world = TestWorld()
        var part = Data(generated(3).prefix(600))
        part.replaceSubrange(500..<600, with: Data(count: 100))
        try world.leave(
            part, of: "/bytes/1000?seed=3", as: "a", sha256: hash(generated(3).prefix(600)))
        let place = DownloadPlace(path: world.file("a").path)
        var record = try #require(DownloadRecord(of: world.file("a")))
        (record.syncedOffset, record.syncedSHA256) = (400, try hash(generated(3).prefix(400)))
        try record.write(place)
        let file = try await world.download("/bytes/1000?seed=3", as: "a")
        #expect(file.resumedFrom == 400 && world.ranges == ["bytes=400-"])
        #expect(world.contents("a") == generated(3))
    }

    @Test func `what lies behind the recorded bytes does not count`() async throws {
        let world = TestWorld()
        try world.leave(generated(3).prefix(400), of: "/bytes/1000?seed=3", as: "a")
        let part = try FileHandle(forWritingTo: world.file("a.part"))
        try part.seekToEnd()
        try part.write(contentsOf: Data(repeating: 7, count: 5_000))
        try part.close()
        _ = try await world.download("/bytes/1000?seed=3", as: "a")
        #expect(world.contents("a") == generated(3) && world.ranges == ["bytes=400-"])
    }

    @Test func `redirects may lead elsewhere by then, for the first address is asked again`()
        async throws
    {
        let world = TestWorld()
        let count = Watched(0)
        world.server.add("/first") { _ in
            count.change { $0 += 1 }
            return .redirect(to: "/signed-\(count.now)?token=secret\(count.now)")
        }
        for number in 1...2 {
            world.server.add("/signed-\(number)") { request in
                let whole = ScriptedResponse.generatedFile(seed: 3, length: 1_000, request: request)
                guard number == 1 else { return whole }
                return ScriptedResponse(
                    whole.steps.dropLast() + [.generated(seed: 3, range: 0..<700), .close])
            }
        }
        #expect(await world.failure("/first", as: "a") is URLError)
        let record = try #require(DownloadRecord(of: world.file("a")))
        #expect(record.address == world.address("/first"))
        #expect(record.finalAddress.hasSuffix("/signed-1?token=secret1"))
        #expect(record.offset == 700 && record.length == 1_000)
        #expect(record.sha256 == (try hash(generated(3).prefix(700))))
        let file = try await world.download("/first", as: "a")
        #expect(file.receivedLength == 300 && world.contents("a") == generated(3))
        #expect(world.ranges == ["-", "-", "bytes=700-", "bytes=700-"])
    }

    @Test func `a new address goes on with a part only where the hash decides`() async throws {
        for expects in [false, true] {
            let world = TestWorld()
            try world.leave(generated(3).prefix(400), of: "/old?signature=1", as: "a")
            let options = expects ? DownloadOptions.once.expecting(try hash(generated(3))) : .once
            _ = try await world.download("/bytes/1000?seed=3", as: "a", options)
            #expect(world.ranges == [expects ? "bytes=400-" : "-"])
            #expect(world.contents("a") == generated(3))
        }
    }

    @Test func `each try goes on where the one before ended`() async throws {
        let world = TestWorld()
        let file = try await world.download("/cut?after=300&of=1000&seed=6", as: "a", .tries(4))
        #expect(file.receivedLength == 1_000 && file.resumedFrom == 900)
        #expect(world.ranges == ["-", "bytes=300-", "bytes=600-", "bytes=900-"])
        #expect(world.contents("a") == generated(6))
    }

    @Test func `the wait that a server asks for is kept, and told`() async throws {
        let world = TestWorld()
        let count = Watched(0)
        world.server.add("/busy") { request in
            count.change { $0 += 1 }
            return count.now == 1
                ? .text("later", status: 503, headers: [("Retry-After", "100")]) : .text("now")
        }
        let clock = TurnableClock()
        let download = FileDownloadOperation(
            world.request("/busy"), to: world.file("a"), options: .tries(2)
        ) { transfer in
            transfer.configuration.clock = clock.clock
        }
        let reported = Log<RetryDecision>()
        let done = Signal()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setRetryBlock { decision, _ in
            reported.add(decision)
            clock.turn(by: 99)
            #expect(world.server.requests.count == 1)
            clock.turn(by: 1)
        }
        download.setResultBlock { _ in done.fire() }
        download.start()
        await done.wait()
        #expect(reported.all.map(\.outcome) == [.waits(seconds: 100)])
        #expect(world.contents("a") == Data("now".utf8))
    }

    @Test func `a download that waits for its next try can be cancelled`() async throws {
        let world = TestWorld()
        var options = DownloadOptions.tries(2)
        options.retryPolicy?.delay = 0
        world.server.add("/busy") { _ in
            .text("later", status: 503, headers: [("Retry-After", "100")])
        }
        let task = Task { [options] in try await world.download("/busy", as: "a", options) }
        #expect(
            world.server.waitUntil(timeout: patience) { statistics, _ in statistics.requests == 1 })
        task.cancel()
        let result = await task.result
        #expect(throws: URLError.self) { try result.get() }
    }

    @Test func `a cancelled task keeps the part, and the next one asks for the rest`() async throws
    {
        let world = TestWorld()
        world.server.hold("middle")
        world.server.add("/gated") { request in
            let whole = ScriptedResponse.generatedFile(seed: 9, length: 1_000, request: request)
            guard request.headers["Range"] == nil else { return whole }
            return ScriptedResponse(
                whole.steps.dropLast() + [
                    .generated(seed: 9, range: 0..<600), .wait(gate: "middle"),
                ])
        }
        let task = Task { try await world.download("/gated", as: "a") }
        while world.contents("a.part")?.count != 600 { await Task.yield() }
        task.cancel()
        let result = await task.result
        let error = #expect(throws: URLError.self) { try result.get() }
        #expect(error?.code == .cancelled)
        #expect(world.names == ["a.part", "a.part.json"])
        _ = try await world.download("/gated", as: "a")
        #expect(world.contents("a") == generated(9) && world.ranges == ["-", "bytes=600-"])
    }

    // MARK: What must not be published

    @Test(arguments: [false, true])
    func `a coded file is kept as it was sent, or decoded where a coding was offered`(
        isCompressed: Bool
    ) async throws {
        let world = TestWorld()
        let zipped = try #require(
            Data(base64Encoded: "H4sIAAAAAAAC/0vUSeIy1DHiAgB7B5cKCAAAAA=="))
        world.server.add("/coded") { _ in
            .data(zipped, headers: [("Content-Encoding", "gzip"), ("ETag", "\"1\"")])
        }
        var options = DownloadOptions.once
        options.isCompressed = isCompressed
        let file = try await world.download("/coded", as: "a", options)
        let expected = isCompressed ? Data("a,b\n1,2\n".utf8) : zipped
        #expect(world.contents("a") == expected && file.length == expected.count)
        #expect(
            world.server.requests.map { $0.headers["Accept-Encoding"] }
                == [isCompressed ? "gzip, deflate" : "identity"])
    }

    @Test func `a wrong hash is never published, and its bytes are not gone on with`() async throws
    {
        let world = TestWorld()
        let right = try hash(generated(3))
        let options = DownloadOptions.tries(3).expecting(right.uppercased())
        let error = await world.failure("/bytes/1000?seed=4", as: "a", options)
        let wrong = try hash(generated(4))
        #expect(error as? DownloadError == .wrongHash(expected: right, received: wrong))
        #expect(world.names == [] && world.server.requests.count == 1)
        _ = try await world.download("/bytes/1000?seed=3", as: "a", options)
        #expect(world.names == ["a"])
    }

    @Test func `a length that is not the expected one is refused at the head`() async throws {
        let world = TestWorld()
        var options = DownloadOptions.tries(3)
        options.expectedLength = 999
        let error = await world.failure("/bytes/1000", as: "a", options)
        #expect(error as? DownloadError == .wrongLength(expected: 999, received: 1_000))
        #expect(world.names == [] && world.server.requests.count == 1)
    }

    @Test func `a hash that is none, and a place that is no file, fail without a request`()
        async throws
    {
        let world = TestWorld()
        for text in ["abc", String(repeating: "g", count: 64)] {
            let error = await world.failure("/ok", as: "a", .once.expecting(text))
            guard case .unusable = error as? DownloadError else {
                Issue.record("\(text) passed.")
                continue
            }
        }
        await #expect(throws: DownloadError.self) {
            try await OperationManager().download(
                world.request("/ok"), to: world.folder, options: .once)
        }
        #expect(world.server.requests.isEmpty && world.names == [])
    }

    @Test func `a file of unknown origin is compared, or known by its hash`() async throws {
        let world = TestWorld()
        try generated(3).write(to: world.file("a"))
        let expected = try hash(generated(3))
        let known = try await world.download(
            "/bytes/1000?seed=3", as: "a", .once.expecting(expected))
        #expect(known.wasThere && world.server.requests.isEmpty)
        try generated(3).write(to: world.file("b"))
        let compared = try await world.download("/bytes/1000?seed=3", as: "b")
        #expect(compared.wasThere && world.server.requests.count == 1)
        let other = await world.failure("/bytes/1000?seed=4", as: "b")
        guard case .otherFile = other as? DownloadError else {
            Issue.record("Another file passed: \(String(describing: other))")
            return
        }
        #expect(world.contents("b") == generated(3) && world.names == ["a", "b"])
    }

    @Test func `only a download that may replace a file does, when it is whole`() async throws {
        let world = TestWorld()
        try Data("old".utf8).write(to: world.file("a"))
        var options = DownloadOptions.once
        options.existingFile = .replace
        #expect(
            await world.failure("/truncated?length=1000&sent=100", as: "a", options) is URLError)
        #expect(world.contents("a") == Data("old".utf8))
        _ = try await world.download("/bytes/1000?seed=3", as: "a", options)
        #expect(world.contents("a") == generated(3))
    }

    @Test func `a refresh replaces no file that was changed meanwhile`() async throws {
        let world = TestWorld()
        let state = { () -> String? in
            let descriptor = open(world.file("a").path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            return FileOrigin.state(of: descriptor)
        }
        try Data("fetched".utf8).write(to: world.file("a"))
        var options = DownloadOptions.once
        (options.existingFile, options.refreshedState) = (.replace, state())
        try Data("edited since".utf8).write(to: world.file("a"))
        let error = await world.failure("/bytes/1000?seed=3", as: "a", options)
        guard case .otherFile = error as? DownloadError else {
            Issue.record("It was replaced: \(String(describing: error))")
            return
        }
        #expect(world.contents("a") == Data("edited since".utf8))
        options.refreshedState = state()
        _ = try await world.download("/bytes/1000?seed=3", as: "a", options)
        #expect(world.contents("a") == generated(3))
    }

    // MARK: Threads

    @Test func `a disk that stands still holds up its own download alone, in little memory`()
        async throws
    {
        let world = TestWorld()
        let download = OperationManager().fileDownloadOperation(
            world.request("/bytes/30000000?seed=5"), to: world.file("a"), options: .once)
        let results = Log<Result<DownloadedFile, any Error>>()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setResultBlock { results.add($0) }
        let began = Signal()
        download.setProgressBlock { if $0.stored > 0 { began.fire() } }
        download.start()
        await began.wait(for: 1, "the first bytes")
        download.disk.suspend()
        let other = Signal()
        for _ in 0..<3 {
            let operation = HTTPRequestOperation(request: world.request("/ok"))
            operation.completionQueue = DispatchQueue(label: "other")
            operation.completionBlock = { other.fire() }
            operation.start()
        }
        #expect(await other.wait(for: 3, "the others"))
        #expect(download.progress.received - download.progress.stored < 2 << 20)
        download.disk.resume()
        #expect(await results.reaches(1))
        #expect(try results.all.first?.get().sha256 == hash(generated(5, 30_000_000)))
    }
}
