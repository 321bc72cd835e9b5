import TestSupport

@testable import OperationNetworking

/// A manager's operation is enqueued before its caller can set a progress block.
@Suite("Progress blocks that come after the bytes", .timeLimit(.minutes(2)))
struct LateProgressTests {
    private let world = TestWorld()
    private let log = Log<[Int64]>()

    private func downloads(_ operation: URLConnectionOperation) {
        operation.setDownloadProgressBlock { [log] in log.add([$0, $1, $2]) }
    }

    private func stores(_ count: Int64, _ operation: URLConnectionOperation) async {
        while operation.totalBytesRead < count { await Task.yield() }
    }

    /// Runs on until the end, which is an empty entry.
    private func finish(_ operation: LifeOperation, _ gate: String) async {
        let end = Signal()
        operation.completionBlock = { [log] in
            log.add([])
            end.fire()
        }
        world.server.release(gate)
        await end.wait()
    }

    @Test func `one that comes in the middle is told of the missed bytes with the next piece`()
        async
    {
        let operation = world.operation(world.gate("middle", after: 5))
        operation.start()
        await stores(5, operation)
        downloads(operation)
        await finish(operation, "middle")
        #expect(log.all == [[11, 11, 11], []])
    }

    @Test func `one that comes behind the last piece is told before the completion block`() async {
        let operation = world.operation(world.gate("last"))
        operation.at(.loaded) { [self, unowned operation] in downloads(operation) }
        operation.start()
        await finish(operation, "last")
        #expect(log.all == [[11, 11, 11], []])
    }

    @Test func `one that comes behind the request's body is told of it`() async {
        let operation = world.operation(world.gate("answer"))
        operation.request.httpMethod = "POST"
        operation.request.httpBody = Data(count: 1_000)
        operation.at(.loaded) { [log, unowned operation] in
            operation.setUploadProgressBlock { log.add([$0, $1, $2]) }
        }
        operation.start()
        await finish(operation, "answer")
        #expect(log.all == [[1_000, 1_000, 1_000], []])
    }

    @Test func `one that was told of everything is told nothing more`() async {
        let operation = world.operation(world.gate("whole", after: 5))
        downloads(operation)
        operation.start()
        await stores(5, operation)
        await finish(operation, "whole")
        #expect(log.all == [[5, 5, 11], [6, 11, 11], []])
    }

    @Test func `an operation from an archive tells nothing of what an earlier one received`()
        async throws
    {
        let operation = world.operation(world.gate("part", after: 5))
        operation.start()
        await stores(5, operation)
        operation.pause()
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: operation, requiringSecureCoding: true)
        let restored = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: LifeOperation.self, from: data))
        downloads(restored)
        let end = restored.endSignal()
        restored.cancel()
        restored.start()
        await end.wait()
        await MainQueue.settle()
        #expect(log.all.isEmpty && restored.totalBytesRead == 5)
        operation.cancel()
    }

    @Test func `a body that is sent again is counted from its beginning`() {
        var bytes = ReportedBytes()
        bytes.noteSent(10, upTo: 10, of: 30)
        #expect(bytes.takeSent() == 10)
        // A redirect.
        bytes.noteSent(20, upTo: 20, of: 30)
        #expect(bytes.takeSent() == 20)
        bytes.noteSent(10, upTo: 30, of: 30)
        #expect(bytes.takeSent() == 10 && bytes.takeSent() == 0)
        bytes.beginSending()
        #expect(bytes.takeSent() == 0)
        bytes.beginReceiving(at: 7)
        #expect(bytes.takeReceived(upTo: 9) == 2 && bytes.takeReceived(upTo: 4) == 0)
    }
}
