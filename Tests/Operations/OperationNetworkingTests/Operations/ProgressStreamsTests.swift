import TestSupport

@testable import OperationNetworking

@Suite("Streams of a progress", .timeLimit(.minutes(2)))
struct ProgressStreamsTests {
    private let streams = ProgressStreams()

    @Test func `a stream is dropped with its reader, and the others go on`() async {
        var kept = streams.stream().makeAsyncIterator()
        do {
            var dropped = streams.stream().makeAsyncIterator()
            streams.yield(OperationProgress(1, of: 3))
            #expect(await dropped.next() == OperationProgress(1, of: 3))
            #expect(streams.count == 2)
        }
        _ = streams.stream()
        #expect(streams.count == 1)
        streams.yield(OperationProgress(2, of: 3))
        #expect(await kept.next() == OperationProgress(2, of: 3))
    }

    @Test func `a task that is cancelled reads no more, and its stream is dropped`() async {
        let began = Signal()
        let reading = Task { [streams] in
            for await _ in streams.stream() { began.fire() }
        }
        while began.count == 0 {
            streams.yield(OperationProgress(1, of: 3))
            await Task.yield()
        }
        reading.cancel()
        await reading.value
        #expect(streams.count == 0)
    }

    @Test func `all end with the progress, and those that come later at once`() async {
        var early = streams.stream().makeAsyncIterator()
        streams.end()
        #expect(streams.count == 0)
        #expect(await early.next() == nil)
        var late = streams.stream().makeAsyncIterator()
        #expect(await late.next() == nil)
        streams.yield(OperationProgress(1, of: 3))
        #expect(streams.count == 0)
    }

    @Test func `all end where the progress is let go`() async {
        var last: ProgressStreams? = ProgressStreams()
        var reader = last?.stream().makeAsyncIterator()
        last = nil
        #expect(await reader?.next() == nil)
    }

    @Test func `an operation keeps none for readers that have gone, nor gives any to its copy`()
        async throws
    {
        let operation = URLConnectionOperation(
            request: URLRequest(url: URL(filePath: "/nowhere")))
        for _ in 0..<100 {
            _ = operation.downloadProgress()
            _ = operation.uploadProgress()
        }
        #expect(operation.guarded.blocks.downloadStreams?.count == 0)
        #expect(operation.guarded.blocks.uploadStreams?.count == 0)
        #expect(operation.guarded.rare?.finishHooks.count == 2)
        let copy = try #require(operation.copy() as? URLConnectionOperation)
        #expect(copy.guarded.blocks.downloadStreams == nil)
        #expect(copy.guarded.blocks.uploadStreams == nil)
    }
}
