import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("The queue of a request's handlers", .timeLimit(.minutes(5)))
struct HandlerQueueTests {
    /// A serializer that does something and gives its number.
    private func serializer(
        _ number: Int, _ work: @escaping @Sendable () -> Void = {}
    ) -> DataResponseSerializer<Int> {
        DataResponseSerializer { _, _, _, _ in
            work()
            return .success(number)
        }
    }

    @Test func `where nobody reads it, handlers run in order in the processing pool`() async throws
    {
        let world = TestWorld.requests()
        world.manager.startRequestsImmediately = false
        let request = world.get("/ok")
        let (log, ended) = (Log<Int>(), Signal())
        let isNil = Log<Bool>()
        for number in 0..<20 {
            let serializer = serializer(number) {
                log.add(number)
                isNil.add(OperationQueue.current == nil)
            }
            request.response(responseSerializer: serializer) { _ in ended.fire() }
        }
        request.resume()
        await ended.wait(for: 20)
        request.response(responseSerializer: serializer(20) { log.add(20) }) { _ in ended.fire() }
        await ended.wait(for: 21)
        #expect(log.all == Array(0..<21))
        #expect(isNil.all.allSatisfy { $0 })
    }

    @Test func `who reads it before the end finds the handlers that wait, behind the end's time`()
        async throws
    {
        let world = TestWorld.requests()
        world.manager.startRequestsImmediately = false
        let request = world.get("/ok")
        let (log, ended) = (Log<Int>(), Signal())
        for number in 0..<3 {
            request.response(responseSerializer: serializer(number) { log.add(number) }) { _ in
                ended.fire()
            }
        }
        let queue = request.delegate.queue
        #expect(queue === request.delegate.queue && queue.isSuspended)
        #expect(queue.operationCount == 4)
        queue.addOperation { log.add(3) }
        request.response(responseSerializer: serializer(4) { log.add(4) }) { _ in ended.fire() }
        request.resume()
        await ended.wait(for: 4)
        #expect(log.all == Array(0..<5))
        #expect(!queue.isSuspended)
    }

    @Test func `one that is read while a handler runs has the rest, which comes after that one`()
        async throws
    {
        let world = TestWorld.requests()
        world.manager.startRequestsImmediately = false
        let request = world.get("/ok")
        let (log, ended, reached) = (Log<Int>(), Signal(), Signal())
        let gate = DispatchSemaphore(value: 0)
        let first = serializer(0) {
            reached.fire()
            gate.wait()
            log.add(0)
        }
        request.response(responseSerializer: first) { _ in ended.fire() }
        for number in 1..<4 {
            request.response(responseSerializer: serializer(number) { log.add(number) }) { _ in
                ended.fire()
            }
        }
        request.resume()
        await reached.wait()
        let queue = request.delegate.queue
        queue.addOperation { log.add(4) }
        // The one that runs counts, as in the original.
        #expect(queue.operationCount == 5 && !queue.isSuspended)
        gate.signal()
        await ended.wait(for: 4)
        await onNewThread { queue.waitUntilAllOperationsAreFinished() }
        #expect(log.all == Array(0..<5))
    }

    @Test func `handlers of a closed queue wait until it is opened again`() {
        let handlers = HandlerQueue()
        let log = Log<Int>()
        handlers.add { log.add(0) }
        handlers.open()
        #expect(log.wait(for: 1))
        handlers.close()
        handlers.add { log.add(1) }
        #expect(handlers.operationQueue {}.isSuspended)
        handlers.open()
        #expect(log.wait(for: 2))
        #expect(log.all == [0, 1])
    }

    @Test func `300 ended requests with slow serializers take few threads`() async {
        await #expect(processExitsWith: .success) {
            let server = LoopbackServer.started(routes: .served)
            let manager = SessionManager(configuration: .ephemeral)
            let queue = DispatchQueue(label: "handlers")
            let slow = DataResponseSerializer<Int> { _, _, _, _ in
                usleep(20_000)
                return .success(Threads.count)
            }
            func run(_ count: Int) async -> Int {
                let most = Log<Int>()
                for _ in 0..<count {
                    manager.request(server.url("/ok")).response(
                        queue: queue, responseSerializer: slow
                    ) { most.add($0.result.value ?? .max) }
                }
                #expect(await most.reaches(count))
                return most.all.max() ?? .max
            }
            let before = await run(4)
            #expect(await run(300) <= before + 16)
        }
    }
}

/// The threads of this process.
private enum Threads {
    static var count: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? .max
    }
}
