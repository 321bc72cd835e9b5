import TestSupport

@testable import OperationNetworking

@Suite("Progress that tasks read", .timeLimit(.minutes(2)))
struct OperationProgressTests {
    private let world = TestWorld()

    @Test func `a reader sees how far a body is, and the stream ends with the operation`()
        async throws
    {
        let operation = world.operation(world.gate("a", after: 5))
        var reader = operation.downloadProgress().makeAsyncIterator()
        var other = operation.downloadProgress().makeAsyncIterator()
        operation.start()
        #expect(await reader.next() == OperationProgress(5, of: 11))
        world.server.release("a")
        #expect(await reader.next() == OperationProgress(11, of: 11))
        #expect(await reader.next() == nil)
        // Who comes late sees the newest.
        #expect(await other.next() == OperationProgress(11, of: 11))
        #expect(await other.next() == nil)
        var late = operation.downloadProgress().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func `a reader sees how far an upload is; a block is called besides`() async throws {
        let operation = world.operation("/upload")
        operation.request.httpMethod = "POST"
        operation.request.httpBody = Data(repeating: 7, count: 200_000)
        let reported = Log<Int64>()
        operation.setUploadProgressBlock { _, total, _ in reported.add(total) }
        let stream = operation.uploadProgress()
        operation.start()
        var last: OperationProgress?
        for await progress in stream {
            #expect(progress.completed > last?.completed ?? 0)
            last = progress
        }
        #expect(last == OperationProgress(200_000, of: 200_000))
        await MainQueue.settle()
        #expect(reported.all.last == 200_000)
    }

    @Test func `it ends also where the operation is let go without an end`() async {
        let stream = world.operation().downloadProgress()
        let ended = Signal()
        let reading = Task {
            for await _ in stream {}
            ended.fire()
        }
        await ended.wait()
        reading.cancel()
    }

    @Test func `a cancel ends it, and an unknown length is none`() async throws {
        world.server.add("/chunks") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Connection", "close")])),
                .bytes(Data("abc".utf8)),
                .wait(gate: "rest"),
            ])
        }
        let operation = world.operation("/chunks")
        var reader = operation.downloadProgress().makeAsyncIterator()
        operation.start()
        let first = await reader.next()
        #expect(first?.completed == 3 && first?.total == nil)
        operation.cancel()
        #expect(await reader.next() == nil)
    }
}
