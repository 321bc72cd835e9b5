import CurlConnection
import EventRecorder
import LookUpPeer
import OperationNetworking
import TestSupport

extension AllFaultTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct StormTests {
        /// Set `STORM_OPERATIONS=50000` for the long form.
        private static let count =
            ProcessInfo.processInfo.environment["STORM_OPERATIONS"].flatMap { Int($0) } ?? 10_000

        /// Four threads cancel, pause, change and resume them, while look-ups of names stall.
        @Test
        func `each operation ends once when four threads change all of them at random`()
            async throws
        {
            let server = LoopbackServer.started()
            defer { server.stop() }
            // What Dispatch and Foundation open once and keep does not count.
            await Storm(server: server, count: 100, seed: 1).run(Tally())
            #expect(
                server.waitUntil(timeout: 10) { statistics, _ in statistics.connectionsOpen == 0 })
            let base = ProcessResources.now
            let seed = UInt64.random(in: 0 ... .max)
            var run: Storm? = Storm(server: server, count: Self.count, seed: seed)
            let tally = Tally()
            let stalledBefore = StalledLookUp.stalledCount

            // When they are enqueued and disturbed
            await run?.run(tally)

            // Then each ended once, none hangs
            #expect(tally.ended == Self.count, "seed \(seed)")
            #expect(tally.endedTwice == 0, "seed \(seed)")
            #expect(tally.failed == 0, "seed \(seed)")
            #expect(tally.decoded == Storm.busyCount, "seed \(seed)")
            #expect(tally.succeeded > 0 && tally.cancelled > 0, "seed \(seed)")

            // And look-ups were held, and none is left
            #expect(StalledLookUp.stalledCount > stalledBefore, "seed \(seed)")
            #expect(StalledLookUp.waitUntilNone())

            // And threads and descriptors are back where they were
            run = nil
            #expect(
                server.waitUntil(timeout: 10) { statistics, _ in statistics.connectionsOpen == 0 })
            #expect(
                await ProcessResources.settles(to: base), "\(ProcessResources.now) after \(base)")
        }
    }
}

extension AllFaultTests {
    @Suite(.serialized, .timeLimit(.minutes(15)))
    struct StallStormTests {
        /// Set `STALL_SECONDS=600` for the long form. What serializers wait for here is planted.
        @Test
        func `a watch for stalls finds none while operations are disturbed at random`()
            async throws
        {
            let seconds = Double(ProcessInfo.processInfo.environment["STALL_SECONDS"] ?? "") ?? 0
            let server = LoopbackServer.started()
            defer { server.stop() }
            try EventRecorder.start(capacity: 1)
            defer { _ = EventRecorder.stop() }
            let end = Date(timeIntervalSinceNow: seconds)
            // Longer than any operation waits on a busy machine under a sanitizer; a cycle is told at once.
            let watch = StallWatch(limit: 60) { _ in }
            var count = 0
            repeat {
                let seed = UInt64.random(in: 0 ... .max)
                let tally = Tally()
                await Storm(server: server, count: 1_000, seed: seed).run(tally)
                #expect(tally.ended == 1_000, "seed \(seed)")
                count += 1_000
            } while Date() < end
            print("stall watch: \(count) operations")
            let stalls = watch.end().filter { !$0.description.contains("in serialization") }
            #expect(stalls.isEmpty)
        }
    }
}

/// Operations in a queue of 32, four threads that disturb them, and serializers on all cores and two
/// more that work until the last operation has ended.
private final class Storm: Sendable {
    static let busyCount = ProcessInfo.processInfo.activeProcessorCount + 2

    private let thread = NetworkThread(name: "storm")
    private let manager = OperationManager()
    private let server: LoopbackServer
    private let count: Int
    private let seed: UInt64

    init(server: LoopbackServer, count: Int, seed: UInt64) {
        self.server = server
        self.count = count
        self.seed = seed
        manager.maxConcurrentOperationCount = 32
    }

    func run(_ tally: Tally) async {
        let paths = ["/ok", "/ok", "/drip?n=4&size=500&delay=0.001", "/hang", "/bytes/20000"]
        var generator = SeededNumbers(seed: seed)
        let operations = (0..<count).map { index in
            let path = paths.randomElement(using: &generator) ?? "/ok"
            let isNamed = generator.next() % 8 == 0
            let url = isNamed ? named(index, path) : server.url(path)
            let operation = tally.operation(URLRequest(url: url))
            operation.networkThread = thread
            return operation
        }
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<Self.busyCount {
            let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/ok")))
            operation.networkThread = thread
            operation.responseSerializer = BusySerializer(gate)
            operation.setCompletionBlock(success: { _, _ in tally.didDecode() }, failure: nil)
            manager.enqueue(operation)
        }
        let threads = (0..<4).map { lane in
            let lane = Lane(
                operations: operations, seed: seed &+ UInt64(lane) &+ 1)
            return Thread { lane.disturb() }
        }
        for thread in threads {
            thread.start()
        }
        for operation in operations {
            manager.enqueue(operation)
        }
        await tally.waitForAll(count)
        for _ in 0..<Self.busyCount { gate.signal() }
        await tally.waitForDecoded(Self.busyCount)
    }

    /// The address of a path by a name of its own, whose look-up may stall.
    private func named(_ index: Int, _ path: String) -> URL {
        let url = server.url(path)
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.host = "many-\(index)\(Lane.names)"
        return parts?.url ?? url
    }
}

/// A serializer that works until its gate opens.
private final class BusySerializer: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds guards itself.
    private let gate = Locked<DispatchSemaphore?>(nil)

    convenience init(_ gate: DispatchSemaphore) {
        self.init()
        self.gate.withLock { $0 = gate }
    }

    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        gate.withLock { $0 }?.wait()
        return SerializedResponse(object: nil, error: nil)
    }
}

/// One thread's share of the disturbance: it follows the queue and strikes near its head.
private final class Lane: Sendable {
    private let operations: [URLConnectionOperation]
    private let seed: UInt64

    /// A little more than the queue runs at once, so that waiting operations are struck too.
    private static let reach = 96
    /// How the names end whose look-ups stall, or go on, as the lanes please.
    static let names = ".storm.lookup.test"

    init(operations: [URLConnectionOperation], seed: UInt64) {
        self.operations = operations
        self.seed = seed
    }

    func disturb() {
        defer { StalledLookUp.release(Self.names) }
        var generator = SeededNumbers(seed: seed)
        var firstUnfinished = 0
        while firstUnfinished < operations.count {
            let index = firstUnfinished + Int(generator.next() % UInt64(Self.reach))
            strike(operations[min(index, operations.count - 1)], &generator)
            switch generator.next() % 2_048 {
            case 0: StalledLookUp.hold(Self.names)
            case 1: StalledLookUp.release(Self.names)
            default: break
            }
            // The head of the queue must not stay paused or hang for ever.
            let head = operations[firstUnfinished]
            if head.isFinished {
                firstUnfinished += 1
            } else if generator.next() % 16 == 0 {
                head.request.url?.path == "/hang" ? head.cancel() : head.resume()
            }
        }
    }

    private func strike(_ operation: URLConnectionOperation, _ generator: inout SeededNumbers) {
        switch generator.next() % 1_024 {
        case 0...1: operation.cancel()
        case 2...400:
            operation.pause()
            change(operation, &generator)
        default: operation.resume()
        }
    }

    /// Settings that count for the next run; two sets of modes, which have a transport each.
    private func change(_ operation: URLConnectionOperation, _ generator: inout SeededNumbers) {
        switch generator.next() % 4 {
        case 0: operation.runLoopModes = [.common]
        case 1: operation.runLoopModes = [.default]
        case 2: operation.timeoutIntervalForResource = generator.next() % 2 == 0 ? nil : 300
        default: operation.shouldUseCredentialStorage = generator.next() % 2 == 0
        }
    }
}
