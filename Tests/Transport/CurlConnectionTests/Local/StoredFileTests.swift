import Scheduling
import TestSupport

@testable import CurlConnection

/// Stored responses whose bodies are long and on disk alone.
@Suite("Stored bodies in files", .timeLimit(.minutes(5)))
struct StoredFileTests {
    private static let bytes = GeneratedBytes.bytes(seed: 9, range: 0..<700_000)

    private let folder = TemporaryFolder()
    private let cache: ResponseCache

    init() throws {
        cache = try ResponseCache(
            memoryCapacity: 0, diskCapacity: 32 << 20,
            directory: folder.url.appendingPathComponent("cache"))
    }

    /// Runs with a world in which the response was stored.
    private func withStored(_ lifetime: Int = 600, _ body: (TestWorld) throws -> Void) throws {
        try withWorld { world in
            world.server.add("/stored") { request in
                let fields = [("Cache-Control", "max-age=\(lifetime)"), ("ETag", "\"1\"")]
                return request.headers["If-None-Match"] == nil
                    ? .data(Self.bytes, headers: fields) : .status(304, headers: fields)
            }
            #expect(load(in: world).error == nil)
            cache.waitForDisk()
            try body(world)
        }
    }

    private func start(_ recorder: Recorder, in world: TestWorld, _ method: String = "GET") {
        world.thread.start(world.request("/stored", method), recorder) { [cache] in
            $0.configuration.responseCache = cache
        }
    }

    private func load(
        in world: TestWorld, _ recorder: Recorder = Recorder(), _ method: String = "GET"
    ) -> Heard {
        start(recorder, in: world, method)
        return recorder.atEnd()
    }

    private func asked(_ world: TestWorld) -> Int {
        world.server.requests.count { $0.path == "/stored" }
    }

    private func file() throws -> URL {
        let directory = folder.url.appendingPathComponent("cache")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return directory.appendingPathComponent(
            try #require(names.first { $0.hasSuffix(".answer") }))
    }

    private func isWhole(_ heard: Heard) -> Bool {
        heard.error == nil && heard.data == Self.bytes
    }

    @Test func `one comes in pieces, and the memory has none of it`() throws {
        try withStored { world in
            let recorder = Recorder()
            let largest = Locked(0)
            let before = Locked(0)
            recorder.onCall = { call, _ in
                guard call == .data else { return }
                let count = recorder.heard.data.count
                let size = before.withLock { before in
                    defer { before = count }
                    return count - before
                }
                largest.withLock { $0 = max($0, size) }
            }
            let heard = load(in: world, recorder)
            #expect(isWhole(heard) && asked(world) == 1)
            #expect(heard.count(.data) > 10 && largest.withLock { $0 } <= 1 << 16)
            #expect(heard.order == [.willSend, .response, .data, .finish])
            #expect(heard.status == 200 && heard.responses.last?.expectedContentLength == 700_000)
            #expect(cache.currentMemoryUsage == 0)
            let metrics = try #require(heard.metrics.first)
            metrics.expectSound()
            #expect(metrics.transactionMetrics.map(\.resourceFetchType) == [.localCache])
        }
    }

    @Test func `a HEAD reads none of it`() throws {
        try withStored { world in
            let heard = load(in: world, Recorder(), "HEAD")
            #expect(heard.order == [.willSend, .response, .finish] && asked(world) == 1)
        }
    }

    @Test func `one that the server confirms is written anew and comes whole`() throws {
        try withStored(0) { world in
            let heard = load(in: world)
            #expect(isWhole(heard) && asked(world) == 2 && heard.status == 200)
            cache.waitForDisk()
            #expect(isWhole(load(in: world)))
        }
    }

    @Test func `one whose entry is removed while it comes still comes whole`() throws {
        try withStored { world in
            let recorder = Recorder()
            recorder.onCall = { [cache] call, _ in
                if call == .data { cache.removeAllCachedResponses() }
            }
            #expect(isWhole(load(in: world, recorder)))
            #expect(isWhole(load(in: world)) && asked(world) == 2)
        }
    }

    @Test(arguments: [0, 200, 400_000, -1])
    func `a damaged one is loaded anew`(place: Int) throws {
        try withStored { world in
            let file = try file()
            var bytes = try Data(contentsOf: file)
            bytes[place < 0 ? bytes.count - 1 : place] ^= 1
            try bytes.write(to: file)
            #expect(isWhole(load(in: world)) && asked(world) == 2)
        }
    }

    @Test func `one that becomes shorter while it is read is no success`() throws {
        try withStored { world in
            let file = try file()
            let recorder = Recorder()
            recorder.onCall = { call, _ in
                if call == .response { truncate(file.path, 300_000) }
            }
            let heard = load(in: world, recorder)
            #expect(heard.order.last == .fail && heard.code == .resourceUnavailable)
        }
    }

    @Test(arguments: [100_000, 699_999])
    func `one that is changed while it is read is no success`(position: Int) throws {
        try withStored { world in
            let file = try FileHandle(forUpdating: file())
            defer { try? file.close() }
            let start = try file.seekToEnd() - 700_000
            let recorder = Recorder()
            recorder.onCall = { call, _ in
                guard call == .response else { return }
                try? file.seek(toOffset: start + UInt64(position))
                try? file.write(contentsOf: Data([Self.bytes[position] ^ 1]))
            }
            let heard = load(in: world, recorder)
            #expect(heard.order.last == .fail && heard.code == .resourceUnavailable)
        }
    }

    @Test func `the network thread waits for none of its pieces`() throws {
        try withStored { world in
            let recorder = Recorder()
            let isHeld = Locked(false)
            let gate = DispatchSemaphore(value: 0)
            // Before the second piece, the reader is held.
            recorder.onCall = { call, connection in
                guard call == .data, !isHeld.withLock({ $0 }),
                    let queue = connection.reader?.queue
                else { return }
                queue.perform { gate.wait() }
                isHeld.withLock { $0 = true }
            }
            start(recorder, in: world)
            #expect(recorder.wait { $0.calls.contains(.data) })
            for _ in 0..<3 { #expect(world.load("/ok").text == "hello world") }
            #expect(recorder.heard.count(.data) == 1 && !recorder.heard.hasEnded)
            gate.signal()
            #expect(isWhole(recorder.atEnd()))
        }
    }

    @Test func `a delegate that is full gets no further piece`() throws {
        try withStored { world in
            let isFull = Locked(true)
            let recorder = Recorder()
            recorder.onNotConsumed = {
                recorder.heard.data.count > 100_000 && isFull.withLock { $0 } ? 1 : 0
            }
            start(recorder, in: world)
            #expect(recorder.wait { $0.data.count > 100_000 })
            world.thread.settle()
            #expect(recorder.heard.data.count <= 100_000 + 1 << 17)
            isFull.withLock { $0 = false }
            #expect(isWhole(recorder.atEnd()))
        }
    }

    @Test(arguments: 1...40)
    func `suspended, resumed and cancelled at random, it comes whole or not at all`(
        seed: UInt64
    ) throws {
        try withStored { world in
            let random = Locked(SeededNumbers(seed: seed))
            let isCancelled = Locked(false)
            let recorder = Recorder()
            recorder.onCall = { call, connection in
                guard call != .finish, call != .fail else { return }
                switch random.withLock({ $0.next() % 12 }) {
                case 0: connection.suspend()
                case 1:
                    connection.suspend()
                    connection.resume()
                case 2 where seed % 2 == 0:
                    isCancelled.withLock { $0 = true }
                    connection.cancel()
                default: break
                }
            }
            start(recorder, in: world)
            for _ in 0..<1_000 {
                world.thread.settle()
                if recorder.heard.hasEnded || isCancelled.withLock({ $0 }) { break }
                // Nothing comes while it is suspended.
                let before = world.thread.sync {
                    recorder.connection?.isSuspended == true ? recorder.heard.data.count : nil
                }
                world.thread.settle()
                if let before = before ?? nil { #expect(recorder.heard.data.count == before) }
                _ = world.thread.sync { recorder.connection?.resume() }
            }
            if isCancelled.withLock({ $0 }) {
                let count = recorder.heard.calls.count
                world.thread.settle()
                #expect(recorder.heard.calls.count == count && !recorder.heard.hasEnded)
            } else {
                #expect(isWhole(recorder.atEnd()) && recorder.heard.ends == 1)
            }
            #expect(asked(world) == 1)
        }
    }

    @Test func `nothing stays open after an end or a cancel`() throws {
        try withStored { world in
            _ = load(in: world)
            world.thread.settle()
            let before = openFiles()
            for isCancelled in [false, true, false, true] {
                let recorder = Recorder()
                recorder.onCall = { call, connection in
                    if call == .data, isCancelled { connection.cancel() }
                }
                start(recorder, in: world)
                #expect(recorder.wait { isCancelled ? $0.calls.contains(.data) : $0.hasEnded })
                recorder.onCall = nil
            }
            for _ in 0..<2_000 where openFiles() > before { usleep(1_000) }
            #expect(openFiles() == before)
        }
    }

    /// The stored responses of this test that are open.
    private func openFiles() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count {
            let link = "/proc/self/fd/\($0)"
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
            return path?.contains(folder.url.lastPathComponent) == true
                && path?.contains(".answer") == true
        }
    }
}
