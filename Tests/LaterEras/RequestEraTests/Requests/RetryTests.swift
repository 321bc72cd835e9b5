import OperationNetworking
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Retries", .timeLimit(.minutes(5)))
struct RetryTests {
    /// `RETRIES=10000` is the long form.
    private static let count =
        UInt(ProcessInfo.processInfo.environment["RETRIES"] ?? "") ?? 2_000

    @Test func `of thousands of retries against a server that answers at once none is unheard`()
        async throws
    {
        let world = TestWorld.requests()
        // Sixteen requests share the retries.
        let each = Self.count / 16
        world.manager.retrier = Retrier.upTo(each)
        let ends = Signal()
        let requests = (0..<16).map { _ in world.get("/status/503").validate() }
        for request in requests {
            request.response { response in
                #expect(response.response?.statusCode == 503)
                ends.fire()
            }
        }
        await ends.wait(for: 16, "every handler")
        #expect(requests.allSatisfy { $0.retryCount == each })
        #expect(ends.count == 16)
        #expect(world.delegate.taskCount == 0)
    }

    @Test func `the entry is there before a retried task can end`()
        async throws
    {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier.upTo(1)
        let entries = Log<Bool>()
        // A task that was refused ends as soon as it is resumed.
        let missing = world.file("missing")
        world.delegate.taskDidComplete = { [weak delegate = world.delegate] _, task, _ in
            entries.add(delegate?[task] != nil)
        }
        let request = world.manager.upload(missing, to: world.address("/post"))
        let response = await request.ended()
        #expect(response.error != nil && request.retryCount == 1)
        #expect(entries.all == [true])
    }

    @Test func `cancel ends the wait for a retry, and the handlers hear of it once`() async throws {
        let world = TestWorld.requests()
        let asked = Signal()
        world.manager.retrier = Retrier { _, _, completion in
            completion(true, 3_600)
            asked.fire()
        }
        let request = world.get("/status/503").validate()
        let errors = Log<Int?>()
        request.response { errors.add($0.error?.code) }
        await asked.wait()
        request.cancel()
        request.cancel()
        #expect(await errors.reaches(1))
        #expect(errors.all == [URLError.Code.cancelled.rawValue])
        #expect(request.retryCount == 0 && world.server.requests.count == 1)
    }

    @Test func `a retry waits as long as the retrier said, by the manager's clock`() async throws {
        let world = TestWorld.requests()
        let clock = TurnableClock()
        world.manager.clock = clock.clock
        let delays = [30.0, 45, 75]
        world.manager.retrier = Retrier { request, _, completion in
            let count = Int(request.retryCount)
            completion(count < delays.count, count < delays.count ? delays[count] : 0)
        }
        let request = world.get("/status/503").validate()
        async let end = request.ended()
        for (count, delay) in delays.enumerated() {
            #expect(await onNewThread { clock.waits(for: delay) })
            #expect(world.server.requests.count == count + 1)
            clock.turn(by: delay - 0.1)
            #expect(await world.server.sees { _, requests in requests.count == count + 1 })
            #expect(request.retryCount == UInt(count))
            clock.turn(by: 0.1)
            #expect(await world.server.sees { _, requests in requests.count == count + 2 })
        }
        #expect(await end.response?.statusCode == 503)
        #expect(request.retryCount == 3)
    }

    @Test func `cancel ends the wait for an answer that never comes`() async throws {
        let world = TestWorld.requests()
        let answer = Locked<RequestRetryCompletion?>(nil)
        let asked = Signal()
        world.manager.retrier = Retrier { _, _, completion in
            answer.withLock { $0 = completion }
            asked.fire()
        }
        let request = world.get("/status/503").validate()
        await asked.wait()
        request.cancel()
        let response = await request.ended()
        #expect(response.error?.code == URLError.Code.cancelled.rawValue)
        // An answer that comes later starts nothing.
        answer.withLock { $0 }?(true, 0)
        await MainQueue.settle()
        #expect(request.retryCount == 0 && world.server.requests.count == 1)
    }

    @Test func `a cancelled request stays cancelled, whatever the retrier says`() async throws {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier.upTo(9)
        world.server.add("/held") { _ in .text("late").after(.wait(gate: "held")) }
        let request = world.get("/held")
        #expect(await world.server.reaches("held"))
        request.cancel()
        #expect(await request.ended().error?.code == URLError.Code.cancelled.rawValue)
        #expect(request.retryCount == 0)
    }

    @Test func `the second answer of a retrier is ignored`() async throws {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier { request, _, completion in
            let isYes = request.retryCount == 0
            completion(isYes, 0)
            completion(true, 0)
            completion(false, 0)
        }
        let request = world.get("/status/503").validate()
        #expect(await request.ended().error != nil)
        #expect(request.retryCount == 1 && world.server.requests.count == 2)
    }

    @Test func `a retry is held by suspend in its wait, and goes on with resume`() async throws {
        let world = TestWorld.requests()
        let asked = Signal()
        world.manager.retrier = Retrier { request, _, completion in
            request.suspend()
            completion(request.retryCount == 0, 0)
            asked.fire()
        }
        let request = world.get("/status/503").validate()
        await asked.wait()
        // The new task is there, and waits.
        while request.retryCount == 0 { await Task.yield() }
        #expect(request.task?.state == .suspended && world.server.requests.count == 1)
        request.resume()
        #expect(await request.ended().response?.statusCode == 503)
        #expect(world.server.requests.count == 2)
    }

    @Test func `a retry resets error, data and progress, and counts anew`() async throws {
        let world = TestWorld.requests()
        world.server.add("/busy") { _ in .text("try again", status: 503) }
        let before = Locked<[Progress]>([])
        world.manager.retrier = Retrier { request, _, completion in
            guard let data = request as? DataRequest else { return completion(false, 0) }
            before.withLock { $0.append(data.progress) }
            #expect(request.delegate.data?.isEmpty == false && request.delegate.error != nil)
            completion(request.retryCount == 0, 0)
        }
        let request = world.get("/busy").validate()
        let response = await request.ended()
        #expect(response.data == Data("try again".utf8))
        #expect(before.withLock { $0.count == 2 && $0[0] !== $0[1] })
    }

    @Test(arguments: [true, false])
    func `an adapter's error is put to the retrier before resume or a wait can end the request`(
        _ startsByItself: Bool
    ) async throws {
        let world = TestWorld.requests()
        world.manager.startRequestsImmediately = startsByItself
        let calls = Locked(0)
        world.manager.adapter = Adapter { request in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            if call.isMultiple(of: 2) { return request }
            throw PlainError(tag: "odd")
        }
        world.manager.retrier = Retrier.upTo(1)
        for count in 0..<50 {
            let request = world.get("/ok")
            if count.isMultiple(of: 2) { request.resume() }
            #expect(try await request.serializingString().value == "hello world")
        }
        world.manager.retrier = Retrier.upTo(0)
        for _ in 0..<50 {
            calls.withLock { $0 = 0 }
            let request = world.get("/ok")
            #expect(await request.serializingString().result.error is PlainError)
        }
        #expect(world.server.requests.count == 50)
    }

    @Test func `the adapter is asked before each attempt, and its error ends a retry`() async throws
    {
        let world = TestWorld.requests()
        let calls = Locked(0)
        world.manager.adapter = Adapter { request in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            if call == 3 { throw PlainError(tag: "third") }
            return request
        }
        world.manager.retrier = Retrier { _, _, completion in completion(true, 0) }
        let request = world.get("/status/503").validate()
        let response = await request.ended()
        #expect((response.error as? PlainError)?.tag == "third")
        #expect(response.response == nil && response.data == Data())
        #expect(request.retryCount == 1)
    }
}

extension TurnableClock {
    /// Blocks until an alarm is so many seconds away, among others of the transport.
    func waits(for delay: TimeInterval) -> Bool {
        let limit = Date(timeIntervalSinceNow: patience)
        while !alarms.contains(delay) {
            if Date() > limit { return false }
            sched_yield()
        }
        return true
    }
}
