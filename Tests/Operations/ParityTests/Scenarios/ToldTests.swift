import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// What the recordings' own description tells of operations, and no recording here shows.
    @MainActor @Suite struct Told {
        @Test
        func `another response serializer takes the error of the first away`() async throws {
            let stage = try Stage()
            defer { stage.close() }
            let operation = stage.operation("A", "/status/404")
            try await stage.runToEnd(operation)
            _ = operation.responseObject
            #expect(ErrorRecord.text(of: operation.error)?.hasSuffix("/-1011") == true)
            let serializer = HTTPResponseSerializer()
            serializer.acceptableStatusCodes = nil
            operation.responseSerializer = serializer
            #expect(operation.error == nil)
            #expect(operation.responseObject is Data)
            #expect(operation.error == nil)
        }

        @Test
        func `a cancelled operation that nobody starts does not finish`() async throws {
            let stage = try Stage()
            defer { stage.close() }
            let operation = stage.operation("A", "/ok")
            operation.cancel()
            await stage.rest()
            #expect(operation.isCancelled && !operation.isFinished && !operation.isExecuting)
            #expect(stage.recorder.events.map(\.what) == ["isCancelled 0>1"])
        }

        @Test
        func `a pause after the end writes a range from nothing, and changes nothing else`()
            async throws
        {
            let stage = try Stage()
            defer { stage.close() }
            let operation = stage.operation("A", "/ok")
            try await stage.runToEnd(operation)
            let events = stage.recorder.events
            operation.pause()
            await stage.rest()
            #expect(stage.range(of: operation, "Range") == ["range": "bytes=0-"])
            #expect(operation.isFinished && !operation.isPaused)
            #expect(stage.recorder.events == events)
        }

        @Test
        func `a paused operation keeps its place in the queue until it has ended`() async throws {
            let stage = try Stage()
            defer { stage.close() }
            stage.queue.maxConcurrentOperationCount = 1
            let first = stage.operation("A", "/drip?n=4&size=1000&delay=0.1")
            let second = stage.operation("B", "/ok")
            try await stage.receive(2_000, of: first)
            stage.queue.addOperation(second)
            first.pause()
            try await stage.until("A", "finish notification")
            await stage.rest()
            #expect(!second.isExecuting && !second.isFinished)
            first.resume()
            try await stage.end(of: "A", finishes: 2)
            try await stage.end(of: "B")
        }

        @Test
        func `waiting for the end returns before notifications and completion blocks have run`()
            async throws
        {
            let stage = try Stage()
            defer { stage.close() }
            let operation = stage.operation("A", "/ok")
            stage.queue.addOperation(operation)
            Self.wait(for: operation)
            let reported = stage.recorder.events.map(\.what)
            #expect(reported.contains("isFinished 0>1"))
            #expect(!reported.contains("finish notification"))
            #expect(!reported.contains { $0.hasPrefix("success") })
            try await stage.end(of: "A")
        }

        /// Main waits, as the recorder's did; what is told there has to wait too.
        private static func wait(for operation: Operation) { operation.waitUntilFinished() }

        @Test
        func `a copy has the block that decides on redirects, and no completion block`()
            async throws
        {
            let stage = try Stage()
            defer { stage.close() }
            let operation = stage.operation("A", "/redirect/1")
            let asked = Recorder()
            operation.setRedirectResponseBlock { _, request, _ in
                asked.record("copy", "asked")
                return request
            }
            let copy = try #require(operation.copy() as? HTTPRequestOperation)
            #expect(copy.completionBlock == nil)
            stage.keep(copy, "B")
            stage.listen(to: copy, "B")
            stage.queue.addOperation(copy)
            try await stage.until("B", "finish notification")
            #expect(!asked.events.isEmpty)
            #expect(copy.responseString == "hello world")
        }
    }
}
