import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("Operations that tasks wait for", .timeLimit(.minutes(10)))
struct AwaitedOperationTests {
    private let world = TestWorld()

    private func operation(_ path: String = "/json") -> HTTPRequestOperation {
        world.httpOperation(path, JSONResponseSerializer())
    }

    // MARK: - Results

    @Test func `an operation that nobody has started is started, and its object returned`()
        async throws
    {
        let operation = operation()
        let object = try await operation.result()
        #expect(object as? [String: String] == ["a": "b"])
        #expect(operation.isFinished && operation.response?.statusCode == 200)
    }

    @Test func `an operation without a serializer returns its body`() async throws {
        let operation = world.operation("/ok")
        let data = try await operation.result()
        #expect(data == Data("hello world".utf8))
    }

    @Test func `an operation that has finished returns what it has, as often as it is asked`()
        async throws
    {
        let operation = operation()
        for _ in 0..<3 {
            #expect(try await operation.result() as? [String: String] == ["a": "b"])
        }
        #expect(world.server.requests.count == 1)
    }

    @Test func `an operation that is in a queue, or was started, is not started again`()
        async throws
    {
        let queue = OperationQueue()
        queue.isSuspended = true
        let queued = operation()
        queue.take(queued)
        let task = Task { _ = try await queued.result() }
        // Nobody else starts it.
        await world.settle()
        #expect(world.server.requests.isEmpty && !queued.isExecuting)
        queue.isSuspended = false
        try await task.value
        let started = operation()
        started.start()
        _ = try await started.result()
        #expect(world.server.requests.count == 2)
    }

    @Test func `it is started when it is ready: after what it depends on, and after a pause`()
        async throws
    {
        let (first, second) = (operation(), operation())
        second.addDependency(first)
        second.pause()
        let task = Task { _ = try await second.result() }
        _ = try await first.result()
        await world.settle()
        #expect(world.server.requests.count == 1)
        second.resume()
        try await task.value
        #expect(world.server.requests.count == 2)
    }

    @Test func `what has ended before, and a pause, do not make it wait for a queue`() async throws
    {
        let (first, second) = (operation(), operation())
        second.addDependency(first)
        _ = try await first.result()
        second.pause()
        second.resume()
        _ = try await second.result()
        #expect(world.server.requests.count == 2)
    }

    @Test func `the error is the connection's or the serializer's`() async throws {
        await #expect(throws: URLError.self) {
            try await HTTPRequestOperation(
                request: URLRequest(url: URL(fileURLWithPath: "/"))
            ).result()
        }
        let refused = operation("/status/500")
        await #expect(throws: (any Error).self) { try await refused.result() }
        #expect(refused.responseData != nil)
    }

    // MARK: - Cancelling

    @Test func `cancelling the task closes the socket and throws, and the operation ends so`()
        async throws
    {
        let path = world.gate("a")
        let operation = operation(path)
        let completions = Signal()
        operation.completionBlock = { completions.fire() }
        let task = Task { _ = try await operation.result() }
        await world.reached("a")
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        await world.seesTheClose()
        await completions.wait()
        #expect((operation.error as? URLError)?.code == .cancelled)
    }

    @Test func `cancelling the operation throws the operation's error`() async throws {
        let operation = operation(world.gate("a"))
        let task = Task { _ = try await operation.result() }
        await world.reached("a")
        operation.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await world.seesTheClose()
    }

    @Test func `an operation that was cancelled before anybody started it ends so`() async throws {
        let operation = operation()
        operation.cancel()
        let error = await #expect(throws: URLError.self) { try await operation.result() }
        #expect(error?.code == .cancelled && operation.isFinished)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a task that was cancelled before it waits sends nothing`() async throws {
        let operation = operation()
        let gate = Signal()
        let task = Task {
            await gate.wait()
            _ = try await operation.result()
        }
        task.cancel()
        gate.fire()
        await #expect(throws: URLError.self) { try await task.value }
        await world.settle()
        #expect(operation.isCancelled && world.server.requests.isEmpty)
    }

    @Test func `a wait ends with the cancellation, also while the queue starts nothing`()
        async throws
    {
        let queue = OperationQueue()
        queue.isSuspended = true
        let operation = operation()
        queue.take(operation)
        let task = Task { _ = try await operation.result() }
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        #expect(!operation.isFinished)
        queue.isSuspended = false
        await world.empties(queue)
    }

    /// The network thread has the whole response when the task is cancelled, and has not told.
    @Test func `no value comes after a cancellation, though the response is there`() async throws {
        let operation = world.operation("/ok")
        let hold = LifeHold()
        operation.at(.loaded) { hold.stop() }
        let task = Task { _ = try await operation.result() }
        await hold.isHeld.wait()
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        hold.release()
        await world.settle()
        #expect(operation.isFinished && operation.responseData == nil)
    }

    @Test func `waits block no thread of the pool`() async throws {
        let path = world.gate("a")
        let width = ProcessInfo.processInfo.activeProcessorCount * 8
        let tasks = (0..<width).map { _ in
            let operation = operation(path)
            operation.configuration.httpMaximumConnectionsPerHost = width
            return Task { _ = try? await operation.result() }
        }
        await world.reached("a", count: width)
        // More tasks than threads wait, and another one runs.
        #expect(await Task { 7 }.value == 7)
        world.server.release("a")
        for task in tasks { await task.value }
    }

    // MARK: - Shows

    /// `STORM_CANCELS=100000` for the long form.
    @Test(.timeLimit(.minutes(10)))
    func `a storm of cancels ends: each wait once, each operation once`() async throws {
        let count =
            ProcessInfo.processInfo.environment["STORM_CANCELS"].flatMap { Int($0) } ?? 3_000
        var random = SeededNumbers(seed: 1)
        let ends = Signal()
        var done = 0
        while done < count {
            let size = min(200, count - done)
            var steps: [(HTTPRequestOperation, Task<Void, any Error>, Int)] = []
            for _ in 0..<size {
                let operation = operation("/ok")
                operation.completionBlock = { ends.fire() }
                operation.completionQueue = DispatchQueue.global()
                let task = Task { _ = try await operation.result() }
                steps.append((operation, task, Int.random(in: 0..<5, using: &random)))
            }
            await withTaskGroup(of: Void.self) { group in
                for (operation, task, step) in steps {
                    group.addTask {
                        for _ in 0..<step * 20 { await Task.yield() }
                        if step % 2 == 0 { task.cancel() } else { operation.cancel() }
                        _ = await task.result
                        // What was cancelled before it began enters no queue, and so never ends.
                        if !operation.isFinished { operation.startUnlessOwned() }
                    }
                }
            }
            done += size
            await ends.wait(for: done)
        }
        #expect(ends.count == count)
        await world.sees("the end") { $0.inFlight == 0 }
    }
}
