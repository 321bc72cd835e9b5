import CurlConnection
import OperationNetworking
import Scheduling
import SessionTasks
import TestSupport

@testable import RequestEra

/// Between a call and its handler no step needs a thread of a pool that a program can use up.
///
/// In processes of their own: Dispatch adds a thread a second, and keeps it for a while. They wait on the process's own
/// thread: Swift's tasks run on a pool that is filled here.
@Suite("Requests while Dispatch's pools are full", .serialized, .timeLimit(.minutes(5)))
struct FullPoolTests {
    /// Runs a body while blocks of a caller's use up Dispatch's pools.
    private static func withFullPools(_ body: (DispatchQueue) throws -> Void) rethrows {
        let gate = DispatchSemaphore(value: 0)
        let qualities: [DispatchQoS.QoSClass] = [
            .background, .utility, .default, .userInitiated, .userInteractive,
        ]
        let count = max(64, ProcessInfo.processInfo.activeProcessorCount)
        for quality in qualities {
            for _ in 0..<count { DispatchQueue.global(qos: quality).async { gate.wait() } }
        }
        try body(DispatchQueue(label: "handlers"))
        for _ in 0..<count * qualities.count { gate.signal() }
    }

    @Test func `a request is tried again, adapted, serialized and handled`() async {
        await #expect(processExitsWith: .success) {
            let world = TestWorld.requests()
            world.manager.adapter = Adapter { $0 }
            world.manager.retrier = Retrier.upTo(2, after: 0.01)
            FullPoolTests.withFullPools { handlers in
                let end = DispatchSemaphore(value: 0)
                let request = world.get("/status/503").validate()
                request.responseString(queue: handlers) { _ in end.signal() }
                #expect(end.wait(timeout: .now() + 20) == .success)
                #expect(request.retryCount == 2)
            }
        }
    }

    @Test func `an adapter's first error is put to the retrier`() async {
        await #expect(processExitsWith: .success) {
            let world = TestWorld.requests()
            let calls = Log<Bool>()
            world.manager.adapter = Adapter { request in
                calls.add(true)
                if calls.all.count == 1 { throw URLError(.userAuthenticationRequired) }
                return request
            }
            world.manager.retrier = Retrier.upTo(1)
            FullPoolTests.withFullPools { handlers in
                let end = DispatchSemaphore(value: 0)
                let text = Locked<String?>(nil)
                world.get("/ok").responseString(queue: handlers) { response in
                    text.withLock { $0 = response.result.value }
                    end.signal()
                }
                #expect(end.wait(timeout: .now() + 20) == .success)
                #expect(text.withLock { $0 } == "hello world")
            }
        }
    }

    @Test(arguments: [0, UInt64.max])
    func `a form is encoded and sent`(_ threshold: UInt64) async {
        await #expect(processExitsWith: .success) { [threshold] in
            let world = TestWorld.requests()
            FullPoolTests.withFullPools { handlers in
                let end = DispatchSemaphore(value: 0)
                world.manager.upload(
                    multipartFormData: { $0.append(Data("value".utf8), withName: "field") },
                    usingThreshold: threshold, to: world.address("/upload"), queue: handlers
                ) { result in
                    guard case .success(let request, _, _) = result else { return }
                    request.response(queue: handlers) { _ in end.signal() }
                }
                #expect(end.wait(timeout: .now() + 20) == .success)
                let body = world.server.requests.last?.body ?? Data()
                #expect(body.range(of: Data("value".utf8)) != nil)
            }
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount < 48, "There are 64 places."))
    func `handlers beyond the cores wait for room, and do not hold up another request`() async {
        await #expect(processExitsWith: .success) {
            let world = TestWorld.requests()
            let gate = DispatchSemaphore(value: 0)
            let (ended, handlers) = (DispatchGroup(), DispatchQueue(label: "handlers"))
            let waiting = ProcessInfo.processInfo.activeProcessorCount + 8
            let serializer = DataResponseSerializer<Bool> { _, _, _, _ in
                .success(gate.wait(timeout: .now() + 60) == .success)
            }
            for _ in 0..<waiting {
                ended.enter()
                world.get("/ok").response(queue: handlers, responseSerializer: serializer) {
                    #expect($0.result.value == true)
                    ended.leave()
                }
            }
            let limit = Date() + 20
            while WorkerPool.processing.waiting == 0, Date() < limit { sched_yield() }
            #expect(WorkerPool.processing.waiting > 0)
            let end = DispatchSemaphore(value: 0)
            world.get("/json").responseJSON(queue: handlers) { _ in end.signal() }
            #expect(end.wait(timeout: .now() + 20) == .success)
            for _ in 0..<waiting { gate.signal() }
            #expect(ended.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test func `AL-07 a serializer sees the request's queue, one wide and of utility quality`()
        async throws
    {
        let world = TestWorld.requests()
        world.server.add("/held") { _ in .text("hello").after(.wait(gate: "held")) }
        let request = world.get("/held")
        let queue = request.delegate.queue
        #expect(queue.isSuspended && queue.maxConcurrentOperationCount == 1)
        #expect(queue.qualityOfService == .utility)
        let serializer = DataResponseSerializer<Bool> { _, _, _, _ in
            .success(OperationQueue.current === queue)
        }
        world.server.release("held")
        let isOwn = await withCheckedContinuation { continuation in
            request.response(responseSerializer: serializer) {
                continuation.resume(returning: $0.result.value == true)
            }
        }
        #expect(isOwn && !queue.isSuspended)
    }
}
