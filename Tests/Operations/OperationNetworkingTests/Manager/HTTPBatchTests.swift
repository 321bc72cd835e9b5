import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A batch of HTTP operations ends after every success and failure block, parsing included (BA-6).
@Suite("Batches of HTTP operations", .timeLimit(.minutes(5)))
struct HTTPBatchTests {
    private let world = TestWorld()
    private let manager = HTTPRequestOperationManager()
    private let end = Signal()

    init() {
        world.server.add("/json") { _ in .json("[1]") }
        world.server.add("/gone") { _ in .status(404) }
    }

    private func operation(_ path: String) -> HTTPRequestOperation {
        world.httpOperation(path, JSONResponseSerializer())
    }

    private static func listen(_ operation: HTTPRequestOperation, _ log: Log<String>) {
        operation.setCompletionBlock(
            success: { _, _ in log.add("own") }, failure: { _, _ in log.add("own") })
    }

    @Test(arguments: [true, false])
    func `a thousand batches each end after their blocks, whenever those were set`(
        isSetBefore: Bool
    ) async {
        manager.maxConcurrentOperationCount = 8
        let own = DispatchQueue(label: "of the test", attributes: .concurrent)
        let wrong = Log<[String]>()
        for round in 0..<500 {
            let log = Log<String>()
            let operations = (0..<3).map { operation(["/json", "/gone", "/ok"][$0]) }
            if round.isMultiple(of: 5) { operations[1].cancel() }
            if round.isMultiple(of: 2) { operations[2].completionQueue = own }
            if isSetBefore { operations.forEach { Self.listen($0, log) } }
            let batch = URLConnectionOperation.batch(
                of: operations, progress: { _, _ in log.add("progress") },
                completion: { [end] _ in
                    let own = log.all.count { $0 == "own" }
                    let progress = log.all.count { $0 == "progress" }
                    if own != 3 || progress != 3 { wrong.add(log.all) }
                    end.fire()
                })
            if !isSetBefore { operations.forEach { Self.listen($0, log) } }
            for operation in batch { manager.operationQueue.take(operation) }
        }
        await end.wait(for: 500, "all batches")
        #expect(wrong.all.isEmpty, "\(wrong.all.prefix(3))")
    }

    @Test func `a block on its way when the batch is made still comes before the end`() async {
        let held = HeldSerializer()
        let operation = operation("/json")
        operation.responseSerializer = held
        let log = Log<String>()
        Self.listen(operation, log)
        operation.start()
        await held.entered.wait()
        let batch = URLConnectionOperation.batch(
            of: [operation], progress: { _, _ in log.add("progress") },
            completion: { [end] _ in
                log.add("end")
                end.fire()
            })
        batch.last.map { manager.operationQueue.take($0) }
        await MainQueue.settle()
        held.gate.signal()
        await end.wait()
        #expect(log.all == ["own", "progress", "end"])
    }

    @Test func `without a block of its own an operation's progress comes, and the end`() async {
        let operation = operation("/json")
        let log = Log<String>()
        let batch = URLConnectionOperation.batch(
            of: [operation], progress: { _, _ in log.add("progress") },
            completion: { [end] _ in
                log.add("end")
                end.fire()
            })
        operation.completionBlock = nil
        for operation in batch { manager.operationQueue.take(operation) }
        await end.wait()
        #expect(log.all == ["progress", "end"])
    }

    @Test func `a manager, its operations and their blocks are gone after each kind of end`()
        async
    {
        let gone = Signal()
        world.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        let path = world.gate("kept")
        do {
            let manager = HTTPRequestOperationManager(baseURL: world.server.url("/"))
            for path in ["json", "gone", "reset", path, path] {
                let (first, second) = (Sentinel(gone), Sentinel(gone))
                let operation = manager.get(
                    path, success: { _, _ in first.touch() }, failure: { _, _ in first.touch() })
                operation?.userInfo = ["sentinel": second]
            }
            let sentinel = Sentinel(gone)
            manager.requestSerializer.setQueryStringSerialization { _, _ in
                sentinel.touch()
                return ""
            }
            await world.reached("kept", count: 2)
            manager.operations.last?.cancel()
        }
        world.server.release("kept")
        await gone.wait(for: 11, "ten sentinels of operations and one of the manager")
    }
}
