import CurlConnection
import HTTPSemantics
import Scheduling
import TestSupport

@testable import OperationNetworking

@Suite("What a manager's settings mean for its downloads", .timeLimit(.minutes(2)))
struct DownloadSettingsTests {
    private let world = TestWorld()
    private let manager: HTTPRequestOperationManager
    private let clock = TurnableClock()

    init() {
        manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        manager.completionQueue = DispatchQueue(label: "callbacks")
        manager.configuration.clock = clock.clock
        world.server.add("/busy") { _ in
            .text("later", status: 503, headers: [("Retry-After", "100")])
        }
        world.server.add("/held", isPrefix: true) { _ in .text("x").after(.wait(gate: "held")) }
    }

    private func policy(_ attempts: Int, budget: RetryBudget? = nil) -> RetryPolicy {
        var policy = RetryPolicy(budget: budget)
        policy.maximumAttempts = attempts
        policy.delay = 0
        return policy
    }

    private func reason(of operation: Operation) -> QueuedOperation.Reason? {
        manager.snapshot().first { $0.operation === operation }?.reason
    }

    /// Waits for the reason to be such.
    private func waits(
        _ operation: Operation, _ fits: (QueuedOperation.Reason?) -> Bool
    ) async -> Bool {
        let limit = Date(timeIntervalSinceNow: patience)
        while Date() < limit {
            if fits(reason(of: operation)) { return true }
            await Task.yield()
        }
        return false
    }

    @Test func `the manager's policy and budget count where the options have none`() async {
        world.server.add("/fails") { _ in .status(503) }
        manager.configuration.retryPolicy = policy(
            2, budget: RetryBudget(ratio: 0, reserve: 1))
        let errors = [DownloadError.status(503), .retryBudgetUsed(.status(503))]
        for (count, error) in zip([2, 3], errors) {
            await #expect(throws: error) {
                try await manager.download("fails", to: world.file("a"))
            }
            #expect(world.server.requests.count == count)
        }
        await #expect(throws: DownloadError.status(503)) {
            try await manager.download("fails", to: world.file("a"), options: .tries(3))
        }
        #expect(world.server.requests.count == 6)
        #expect(await world.failure("/fails", as: "b", .once) != nil)
        #expect(world.server.requests.count == 7)
    }

    @Test func `an error says where the budget ended the tries, and is the same otherwise`() async {
        world.server.add("/fails") { _ in .status(503) }
        for (path, words) in [("/fails", "answered 503"), ("/close", ".")] {
            let budget = RetryBudget(ratio: 0, reserve: 1)
            var options = DownloadOptions()
            options.retryPolicy = policy(9, budget: budget)
            let error = await world.failure(path, as: "a", options)
            let text = error?.localizedDescription ?? ""
            #expect(text.contains(words) && text.contains("retry budget is used up"), "\(text)")
            if path == "/close" {
                #expect((error as? URLError)?.code == .networkConnectionLost)
            }
            options.retryPolicy = policy(1, budget: budget)
            let other = await world.failure(path, as: "a", options)?.localizedDescription
            #expect(other?.contains("budget") == false)
        }
    }

    @Test func `a download that may not be sent twice has one idempotency key over its tries`()
        async throws
    {
        let count = Watched(0)
        world.server.add("/made") { _ in
            let number = count.change {
                $0 += 1
                return $0
            }
            return number < 3 ? .status(503) : .text("made")
        }
        var policy = policy(3)
        policy.idempotencyKeyField = "Idempotency-Key"
        manager.configuration.retryPolicy = policy
        var request = world.request("/made")
        request.httpMethod = "POST"
        _ = try await manager.download(request, to: world.file("a"))
        _ = try await manager.download(world.request("/made"), to: world.file("b"))
        let keys = world.server.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 4 && keys[0] != nil && Set(keys.prefix(3)).count == 1)
        #expect(keys.last == .some(nil))
    }

    @Test func `the manager's limit of time counts for all tries together`() async {
        manager.timeoutIntervalForResource = 150
        let download = manager.fileDownloadOperation(world.request("/busy"), to: world.file("a"))
        let reported = Log<RetryDecision.Outcome>()
        download.setRetryBlock { [clock] decision, _ in
            reported.add(decision.outcome)
            clock.turn(by: 100)
        }
        let done = Signal()
        download.setResultBlock { _ in done.fire() }
        manager.enqueue(download)
        await done.wait()
        #expect(reported.all == [.waits(seconds: 100), .stops(.deadline)])
    }

    @Test func `a limit of time counts for a wait that another download began`() async {
        let delays = OriginDelays(clock.clock)
        delays.add(100, for: world.server.baseURL)
        for (timeout, count) in [(50, 0), (150, 1)] as [(TimeInterval, Int)] {
            var options = DownloadOptions.tries(3)
            (options.originDelays, options.timeout) = (delays, timeout)
            let download = manager.fileDownloadOperation(
                world.request("/busy"), to: world.file("a"), options: options)
            let (outcomes, done) = (Log<RetryDecision.Outcome>(), Signal())
            download.setRetryBlock { decision, _ in outcomes.add(decision.outcome) }
            download.setResultBlock { _ in done.fire() }
            manager.enqueue(download)
            if count > 0 {
                while clock.alarms.isEmpty { await Task.yield() }
                clock.turn(by: 100)
            }
            await done.wait()
            #expect(world.server.requests.count == count)
            // 50 seconds are left, and the server names 100.
            #expect(outcomes.all == (count > 0 ? [.stops(.deadline)] : []))
        }
    }

    @Test func `the time until there is a slot does not count toward a limit before the first try`()
        async
    {
        let delays = OriginDelays(clock.clock)
        delays.add(5, for: world.server.baseURL)
        manager.setMaxConcurrentOperationCount(1, ofGroup: "files")
        var options = DownloadOptions.once
        (options.originDelays, options.timeout) = (delays, 60)
        let second = manager.fileDownloadOperation(
            world.request("/bytes/1000"), to: world.file("b"), options: options)
        let ends = Log<String>()
        second.setResultBlock { _ in ends.add("second") }
        manager.enqueue(second, group: "files")
        // It waits for the delay, without a slot.
        while clock.alarms.isEmpty { await Task.yield() }
        var request = world.request("/held/1")
        request.timeoutInterval = 1_000
        let first = manager.fileDownloadOperation(request, to: world.file("a"), options: .once)
        first.setResultBlock { _ in ends.add("first") }
        manager.enqueue(first, group: "files")
        #expect(await world.server.reaches("held"))
        clock.turn(by: 5)
        #expect(await waits(second) { $0 == .groupLimit("files") })
        clock.turn(by: 100)
        world.server.release("held")
        #expect(await ends.reaches(2))
        #expect(ends.all == ["first", "second"] && world.names == ["a", "b"])
        #expect(world.server.requests.map(\.path) == ["/held/1", "/bytes/1000"])
    }

    @Test func `a snapshot says that a download waits for its next try, or for a connection`()
        async
    {
        let late = manager.fileDownloadOperation(world.request("/busy"), to: world.file("late"))
        manager.enqueue(late)
        let due = clock.date + 100
        #expect(await waits(late) { $0 == .load(.retry(at: due)) })
        late.cancel()
        manager.configuration.httpMaximumConnectionsPerHost = 1
        let ends = Log<String>()
        let get = { (path: String) in
            manager.get(
                path, success: { _, _ in ends.add(path) }, failure: { _, _ in ends.add(path) })
        }
        _ = get("held/1")
        #expect(await world.server.reaches("held"))
        let other = get("held/2")
        #expect(await waits(other ?? Operation()) { $0 == .load(.connection) })
        let download = manager.fileDownloadOperation(
            world.request("/held/3"), to: world.file("a"))
        download.queuePriority = .veryHigh
        download.setResultBlock { _ in ends.add("download") }
        manager.enqueue(download)
        #expect(await waits(download) { $0 == .load(.connection) })
        // By its priority, before the one that asked first.
        world.server.release("held", count: 1)
        #expect(await world.server.reaches("held", count: 2))
        #expect(world.server.requests.last?.path == "/held/3")
        #expect(await waits(download) { $0 == nil })
        world.server.release("held")
        #expect(await ends.reaches(3))
    }

    @Test func `a dependency that ends gives no slot to a download that waits for its next try`()
        async throws
    {
        manager.setMaxConcurrentOperationCount(1, ofGroup: "files")
        let first = manager.fileDownloadOperation(
            world.request("/busy"), to: world.file("a"), options: .tries(2))
        let (ends, waiting) = (Log<String>(), Signal())
        first.setRetryBlock { _, _ in waiting.fire() }
        first.setResultBlock { _ in ends.add("first") }
        manager.enqueue(first, group: "files")
        await waiting.wait()
        // Its time limit must not pass when the clock is turned.
        var request = world.request("/held/1")
        request.timeoutInterval = 1_000
        let second = manager.fileDownloadOperation(
            request, to: world.file("b"), options: .once)
        second.setResultBlock { _ in ends.add("second") }
        manager.enqueue(second, group: "files")
        #expect(await world.server.reaches("held"))
        clock.turn(by: 100)
        #expect(await waits(first) { $0 == .groupLimit("files") })
        let dependency = BlockOperation()
        first.addDependency(dependency)
        dependency.start()
        // Behind what the dependency has announced.
        let (announced, written) = (Signal(), Signal())
        let limiter = try #require(first.currentAdmission?.limiter)
        Admission(limiter, Admission.Needs(), .normal) { announced.fire() }.lookAgain()
        await announced.wait()
        first.disk.async { written.fire() }
        await written.wait()
        #expect(first.progress.attempts == 1)
        world.server.release("held")
        #expect(await ends.reaches(2))
        #expect(ends.all == ["second", "first"] && first.progress.attempts == 2)
    }

    @Test func `a first limit that comes in the wait for the next try leaves the slot free`()
        async
    {
        let ends = Log<String>()
        let get = { [world, manager] (path: String, name: String) in
            let download = manager.fileDownloadOperation(
                world.request(path), to: world.file(name), options: .tries(2))
            download.setResultBlock { _ in ends.add(name) }
            return download
        }
        let waiting = Signal()
        let first = get("/busy", "first")
        first.setRetryBlock { _, _ in waiting.fire() }
        manager.enqueue(first)
        await waiting.wait()
        manager.maximumOperationsPerOrigin = 1
        manager.enqueue(get("/bytes/1000", "second"))
        #expect(await ends.reaches(1))
        clock.turn(by: 100)
        #expect(await ends.reaches(2))
        manager.enqueue(get("/bytes/1000", "third"))
        #expect(await ends.reaches(3))
        #expect(ends.all == ["second", "first", "third"] && first.progress.attempts == 2)
    }

    @Test func `a file in place of another length than expected is another file`() async throws {
        _ = try await world.download("/bytes/1000?seed=3", as: "a")
        for (length, isRight) in [(1_000, true), (999, false)] as [(Int64, Bool)] {
            var options = DownloadOptions.once
            options.expectedLength = length
            let path = world.file("a").path
            let error = await world.failure("/bytes/1000?seed=3", as: "a", options)
            #expect(
                error as? DownloadError
                    == (isRight
                        ? nil : .otherFile(path: path, length: 1_000, expectedLength: length)))
        }
        #expect(world.server.requests.count == 1 && world.contents("a") == generated(3))
    }

    @Test func `a cancelled wait ends while the queue is suspended`() async throws {
        manager.isSuspended = true
        let task = Task { try await manager.download("bytes/1000", to: world.file("a")) }
        while manager.operations.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        manager.isSuspended = false
        while !manager.operations.isEmpty { await Task.yield() }
        #expect(world.server.requests.isEmpty && world.names.isEmpty)
    }

    /// The record's first hash goes over 500 bytes. After a power cut the range in which they end has but 100.
    @Test func `a range that lacks bytes of the first hash does not count, and the hash is right`()
        async throws
    {
        let bytes = generated(3)
        try world.leave(bytes.prefix(500), of: "/bytes/1000?seed=3", as: "a")
        let place = DownloadPlace(path: world.file("a").path)
        try (bytes.prefix(700) + Data(count: 100)).write(to: URL(fileURLWithPath: place.part))
        var record = try #require(DownloadRecord(of: world.file("a")))
        record.ranges = [
            DownloadRecord.StoredRange(
                start: 300, end: 800, sha256: try hash(bytes[300..<800]), syncedEnd: 400,
                syncedSHA256: try hash(bytes[300..<400]))
        ]
        try record.write(place)
        let file = try await world.download("/bytes/1000?seed=3", as: "a")
        #expect(file.sha256 == (try hash(bytes)) && world.contents("a") == bytes)
        #expect(file.resumedFrom == 500 && world.ranges == ["bytes=500-"])
    }
}
