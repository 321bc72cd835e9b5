import OperationNetworking
import TestSupport

@Suite("Batches", .timeLimit(.minutes(5)))
struct BatchOfOperationsTests {
    private let world = TestWorld()
    private let manager = OperationManager()
    private let log = Log<String>()
    private let end = Signal()

    init() {
        world.server.add("/reset") { _ in ScriptedResponse([.reset]) }
    }

    private func operations(_ paths: [String]) -> [URLConnectionOperation] {
        paths.enumerated().map { index, path in
            let operation = world.plainOperation(path)
            operation.completionBlock = { [log] in log.add("own \(index)") }
            return operation
        }
    }

    private func progress(_ done: Int, _ total: Int) {
        log.add("progress \(done)/\(total)")
    }

    /// Enqueues and returns what the completion was called with.
    private func enqueue(_ operations: [URLConnectionOperation]) -> Log<[URLConnectionOperation]> {
        let results = Log<[URLConnectionOperation]>()
        manager.enqueue(batch: operations, progress: progress) { [log, end] in
            #expect(MainQueue.isCurrent)
            log.add("end")
            results.add($0)
            end.fire()
        }
        return results
    }

    /// Whatever is on its way to main has come after this.
    private func settle() async {
        await world.settle()
        await MainQueue.settle()
    }

    /// The end is last and there once; every operation's own block and progress came once.
    private func expectSound(_ count: Int) {
        let all = log.all
        #expect(all.last == "end")
        #expect(all.count { $0 == "end" } == 1)
        #expect(all.filter { $0.hasPrefix("own") }.sorted() == (0..<count).map { "own \($0)" })
        let counts = all.filter { $0.hasPrefix("progress") }
        #expect(counts.count == count)
        let numbers = counts.compactMap {
            Int($0.dropFirst(9).split(separator: "/").first ?? "")
        }
        #expect(numbers == numbers.sorted())
        #expect(numbers.allSatisfy { (1...max(1, count)).contains($0) })
        #expect(count == 0 || numbers.last == count)
        #expect(counts.allSatisfy { $0.hasSuffix("/\(count)") })
    }

    @Test(
        arguments: [0, 1, 5])
    func `completion comes once, on main, after every callback (BA-3, BA-6, wound 23)`(count: Int)
        async
    {
        let operations = operations(Array(repeating: "/ok", count: count))
        let results = enqueue(operations)
        await end.wait()
        await settle()
        expectSound(count)
        #expect(results.all == [operations])
        #expect(operations.allSatisfy { $0.responseString == "hello world" })
    }

    @Test
    func `failed and cancelled operations count as finished (BA-7)`() async {
        let operations = operations(["/ok", "/reset", "/gate/never", "/status/404", "/ok"])
        operations[2].cancel()
        _ = enqueue(operations)
        await end.wait()
        await settle()
        expectSound(5)
        #expect(operations[1].error != nil)
        #expect(operations[2].errorCode == .cancelled)
        #expect(operations.allSatisfy { $0.isFinished })
    }

    @Test
    func `the last operation waits for all of them, and says so (BA-2)`() async throws {
        let operations = operations(["/gate/hold", "/ok", "/ok"])
        let wrapped = URLConnectionOperation.batch(
            of: operations, progress: progress,
            completion: { [log, end] _ in
                log.add("end")
                end.fire()
            })
        #expect(wrapped.count == 4)
        #expect(zip(wrapped, operations).allSatisfy { $0 === $1 })
        let last = try #require(wrapped.last)
        #expect(last.dependencies.count == 3)
        #expect(zip(last.dependencies, operations).allSatisfy { $0 === $1 })
        #expect(!last.isReady)
        #expect(manager.operations.isEmpty)
        wrapped.forEach(manager.operationQueue.addOperation)
        #expect(await world.reached("hold"))
        #expect(!last.isReady && !last.isFinished && end.count == 0)
        world.server.release("hold")
        await end.wait()
        await settle()
        expectSound(3)
        // It says so as it starts.
        await onNewThread { last.waitUntilFinished() }
        #expect(last.isFinished)
    }

    @Test
    func `an operation that depends on the last one runs after the batch`() async throws {
        let operations = operations(["/gate/hold", "/ok"])
        let wrapped = URLConnectionOperation.batch(of: operations, progress: nil, completion: nil)
        let after = world.plainOperation("/ok")
        after.addDependency(try #require(wrapped.last))
        let ended = after.endSignal()
        manager.enqueue(after)
        wrapped.forEach(manager.operationQueue.addOperation)
        #expect(await world.reached("hold"))
        #expect(!after.isExecuting)
        world.server.release("hold")
        await ended.wait()
        #expect(operations.allSatisfy { $0.isFinished })
        #expect(after.responseString == "hello world")
    }

    @Test
    func `an operation that is given twice is loaded once, and the batch ends (wound 23)`() async {
        let operations = operations(["/ok", "/ok"])
        _ = enqueue([operations[0], operations[1], operations[0]])
        await end.wait()
        await settle()
        expectSound(2)
        #expect(world.server.statistics.requests == 2)
    }

    @Test
    func `a batch of operations that are finished already ends`() async {
        let operations = operations(["/ok", "/ok"])
        for operation in operations { await operation.run() }
        let wrapped = URLConnectionOperation.batch(
            of: operations, progress: nil, completion: { [end] _ in end.fire() })
        wrapped.last.map(manager.operationQueue.addOperation)
        await end.wait()
        #expect(end.count == 1)
    }

    @Test
    func `a finished operation in a manager's batch counts as finished`() async {
        let operations = operations(["/ok", "/ok"])
        await operations[0].run()
        _ = enqueue(operations)
        await end.wait()
        await settle()
        #expect(log.all.last == "end")
        #expect(log.all.count { $0 == "end" } == 1)
        #expect(operations.allSatisfy { $0.responseString == "hello world" })
        #expect(world.server.statistics.requests == 2)
    }
}
