import CurlConnection
import OperationNetworking
import ProcessUse
import TestSupport

/// Targets of load, each in a process of its own where the whole process is measured. `StormTests` has T7
/// (cancelling at random), `RealProxyTests` T14 (proxies), `SoakTests` T11.
@Suite(
    "Case R79: load", .serialized, .timeLimit(.minutes(5)),
    .enabled(
        if: FaultPeer.isAvailable && PeerPort.url("NGINX_HTTP") != nil,
        "Needs NGINX_HTTP, a port of `make peers`."))
struct LoadCaseTests {
    // MARK: T1 to T3

    @Test
    func `R79, T1: 20,000 small GETs, fifty at a time, all succeed`() async throws {
        let url = try #require(PeerPort.url("NGINX_HTTP", "/files/hello.txt"))
        let client = PeerClient(thread: NetworkThread(name: "load"))
        client.manager.maxConcurrentOperationCount = 50
        let start = ContinuousClock.now
        let succeeded = await Self.count(20_000, of: client, URLRequest(url: url), atOnce: 50) {
            $0.text == "hello"
        }
        let time = start.duration(to: .now)
        print("R79, T1: 20,000 GETs in \(time)")
        #expect(succeeded == 20_000)
        #expect(client.endedTwice == 0)
    }

    @Test
    func `R79, T2: 2,000 requests wait at the same time, on few threads`() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            allowFiles(8_192)
            let peer = try FaultPeer()
            defer { peer.stop() }
            let client = PeerClient()
            #expect(await client.get(peer.url("/ok")).isSuccess)
            client.manager.maxConcurrentOperationCount = 2_000
            let threads = PeakThreads()
            let start = ContinuousClock.now
            let request = URLRequest(url: peer.url("/delay?delay=2"), timeoutInterval: 60)
            let succeeded = await LoadCaseTests.count(
                2_000, of: client, request, atOnce: 2_000
            ) { $0.text == "late" }
            let time = start.duration(to: .now)
            print("R79, T2: 2,000 in \(time), at most \(threads.stop()) threads")
            #expect(succeeded == 2_000)
            // One after another they would take an hour, six at once eleven minutes.
            #expect(time < .seconds(30))
            #expect(threads.stop() < 32)
            struct Counts: Decodable { var peak: Int }
            let counts = try #require(await client.get(peer.url("/__stats")).data)
            let peak = try JSONDecoder().decode(Counts.self, from: counts).peak
            #expect((1_500...2_001).contains(peak))
        }
        Self.show(result)
    }

    @Test
    func `R79, T2: no more connections are open than the limit of a host allows`() async throws {
        let peer = try FaultPeer()
        defer { peer.stop() }
        let client = PeerClient(thread: NetworkThread(name: "narrow"))
        client.manager.maxConcurrentOperationCount = 200
        let request = URLRequest(url: peer.url("/delay?delay=0.1"), timeoutInterval: 60)
        #expect(await Self.count(200, of: client, request, atOnce: 20) { $0.text == "late" } == 200)
        let counts = try #require(await client.get(peer.url("/__stats")).text)
        #expect(counts.contains("\"peak\": 20,"), "\(counts)")
    }

    @Test(.enabled(if: PeakMemory.isMeaningful, "A sanitizer takes memory of its own."))
    func `R79, T3: 1 GiB down to a stream and 1 GiB up from a file take little memory`()
        async throws
    {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            let url = try #require(PeerPort.url("NGINX_HTTP", "/files/1g.bin"))
            let peer = try FaultPeer()
            defer { peer.stop() }
            let client = PeerClient()
            #expect(await client.get(peer.url("/ok")).isSuccess)
            var before = try PeakMemory.reset()
            let received = Locked<Int64>(0)
            let down = await client.run(URLRequest(url: url, timeoutInterval: 60)) {
                $0.outputStream = OutputStream(toFileAtPath: "/dev/null", append: true)
                $0.setDownloadProgressBlock { _, total, _ in received.withLock { $0 = total } }
                $0.completionQueue = client.queue
            }
            #expect(down.isSuccess)
            #expect(received.withLock { $0 } == 1 << 30)
            var growth = try PeakMemory.now() - before
            print("R79, T3: 1 GiB down in \(down.seconds) s, memory grew by \(growth >> 10) KiB")
            #expect(growth < 40 << 20)

            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("up-" + UUID().uuidString)
            try Data().write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let writer = try FileHandle(forWritingTo: file)
            try writer.truncate(atOffset: 1 << 30)
            try writer.close()
            before = try PeakMemory.reset()
            var request = URLRequest(url: peer.url("/upload"), timeoutInterval: 60)
            request.httpMethod = "PUT"
            request.httpBodyStream = InputStream(url: file)
            let up = await client.run(request)
            growth = try PeakMemory.now() - before
            print("R79, T3: 1 GiB up in \(up.seconds) s, memory grew by \(growth >> 10) KiB")
            #expect(up.text?.contains("\"body_len\": \(1 << 30),") == true)
            #expect(growth < 40 << 20)
        }
        Self.show(result)
    }

    /// What the test printed in its own process.
    private static func show(_ result: ExitTest.Result?) {
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    /// How many of so many equal requests end well.
    private static func count(
        _ count: Int, of client: PeerClient, _ request: URLRequest, atOnce: Int,
        _ isGood: @escaping @Sendable (Ending) -> Bool
    ) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask {
                    isGood(
                        await client.run(request) {
                            $0.configuration.httpMaximumConnectionsPerHost = atOnce
                            $0.configuration.maximumConnections = max(atOnce, 256)
                            $0.configuration.responseCache = nil
                        })
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    // MARK: T15

    @Test(
        arguments: [("/json-large", true), ("/gzip-bomb?mb=512", false)])
    func `R79, T15: requests on the same thread go on beside a body that is much work`(
        path: String, isJSON: Bool
    ) async throws {
        // One that unpacks nothing itself.
        let (busy, quick) = (try FaultPeer(), try FaultPeer())
        defer {
            busy.stop()
            quick.stop()
        }
        let thread = NetworkThread(name: "work")
        let worker = PeerClient(
            isJSON ? JSONResponseSerializer() : HTTPResponseSerializer(), thread: thread)
        let heart = PeerClient(thread: thread)
        // Makes what is made once.
        var head = URLRequest(url: busy.url(path), timeoutInterval: 60)
        head.httpMethod = "HEAD"
        _ = await worker.run(head)
        let isOver = Locked(false)
        async let ended = {
            let ending = await worker.run(URLRequest(url: busy.url(path), timeoutInterval: 60)) {
                if !isJSON {
                    $0.configuration.limits.decompressionRatio = nil
                    $0.outputStream = OutputStream(toFileAtPath: "/dev/null", append: true)
                }
            }
            isOver.withLock { $0 = true }
            return ending
        }()
        var beats: [Double] = []
        repeat {
            let beat = await heart.get(quick.url("/ok"))
            #expect(beat.text == "hello")
            beats.append(beat.seconds)
        } while !isOver.withLock { $0 }
        let ending = await ended
        #expect(ending.isSuccess, "\(ending.error as Any)")
        let slowest = beats.max() ?? 0
        print("R79, T15: \(beats.count) beats in \(ending.seconds) s, the slowest \(slowest) s")
        // One that waited for the end would be the only one.
        #expect(beats.count >= 5)
        #expect(slowest < max(1, ending.seconds / 2))
    }

    @Test
    func `R79, T15: requests on the same thread go on while completion blocks are held`()
        async throws
    {
        let peer = try FaultPeer.shared.get()
        let thread = NetworkThread(name: "held")
        let (gate, held) = (DispatchSemaphore(value: 0), Watched(0))
        let slow = DispatchQueue(label: "slow", attributes: .concurrent)
        let queue = OperationQueue()
        for _ in 0..<2 {
            let operation = HTTPRequestOperation(request: URLRequest(url: peer.url("/ok")))
            operation.networkThread = thread
            operation.completionQueue = slow
            operation.setCompletionBlock(
                success: { _, _ in
                    held.change { $0 += 1 }
                    gate.wait()
                }, failure: nil)
            queue.addOperation(operation)
        }
        await held.wait(until: "both blocks") { $0 == 2 }
        let heart = PeerClient(thread: thread)
        for _ in 0..<50 {
            #expect(await heart.get(peer.url("/ok")).text == "hello")
        }
        #expect(held.now == 2)
        for _ in 0..<2 { gate.signal() }
    }
}

/// Raises the number of descriptors this process and its children may have.
private func allowFiles(_ count: UInt) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(max(limit.rlim_cur, rlim_t(count)), limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Counts the threads of the process, again and again.
///
/// ## Concurrency
/// Call from: any thread. Lock: the one in `state`.
private final class PeakThreads: Sendable {
    private let state = Locked((peak: 0, isOver: false))

    init() {
        Thread.detachNewThread { [state] in
            while !state.withLock({ $0.isOver }) {
                let tasks = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
                state.withLock { $0.peak = max($0.peak, tasks?.count ?? 0) }
                usleep(5_000)
            }
        }
    }

    /// The most there were at once, the one that counts among them.
    func stop() -> Int {
        state.withLock {
            $0.isOver = true
            return $0.peak
        }
    }
}
