import OperationNetworking
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Progress of requests that tasks read", .timeLimit(.minutes(2)))
struct RequestProgressTests {
    private let world: TestWorld

    init() throws {
        world = TestWorld.requests(routes: .standard)
        world.server.add("/held") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "11")])),
                .bytes(Data("hello".utf8)), .wait(gate: "rest"), .bytes(Data(" world".utf8)),
            ])
        }
        world.manager.startRequestsImmediately = false
    }

    @Test func `a reader sees how far a body is, and the stream ends with the request`()
        async throws
    {
        for request in [world.get("/held"), world.manager.download(world.address("/held"))] {
            world.server.hold("rest")
            var reader = request.downloadProgress().makeAsyncIterator()
            var other = request.downloadProgress().makeAsyncIterator()
            let all = request.downloadProgress(bufferingPolicy: .unbounded)
            request.resume()
            #expect(await reader.next() == OperationProgress(5, of: 11))
            world.server.release("rest")
            #expect(await reader.next() == OperationProgress(11, of: 11))
            #expect(await reader.next() == nil)
            #expect(await other.next() == OperationProgress(11, of: 11))
            #expect(await other.next() == nil)
            #expect(await all.map(\.completed).reduce(into: []) { $0.append($1) } == [5, 11])
            var late = request.downloadProgress().makeAsyncIterator()
            #expect(await late.next() == nil)
        }
    }

    @Test func `a reader sees how far an upload is; closure and property stay`() async throws {
        world.server.add("/upload") { .text("\($0.body.count)") }
        let reported = Log<Int64>()
        let request = world.manager.upload(Data(count: 200_000), to: world.address("/upload"))
            .uploadProgress { reported.add($0.completedUnitCount) }
        let stream = request.uploadProgress()
        request.resume()
        var last: OperationProgress?
        for await progress in stream {
            #expect(progress.completed > last?.completed ?? 0)
            last = progress
        }
        #expect(last == OperationProgress(200_000, of: 200_000))
        #expect(request.uploadProgress.completedUnitCount == 200_000)
        await MainQueue.settle()
        #expect(reported.all.last == 200_000)
    }

    @Test func `it goes on over a retry, and counts from the beginning there`() async throws {
        let count = Locked(0)
        world.server.add("/twice") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .text("abc", status: 500) : .text("hello")
        }
        world.manager.retrier = Retrier.upTo(1)
        let request = world.get("/twice").validate()
        let stream = request.downloadProgress(bufferingPolicy: .unbounded)
        request.resume()
        var seen: [OperationProgress] = []
        for await progress in stream { seen.append(progress) }
        #expect(seen.contains(OperationProgress(3, of: 3)))
        #expect(seen.last == OperationProgress(5, of: 5))
        #expect(request.retryCount == 1)
    }

    @Test func `a cancel ends it before the request has ended, and nothing comes after`()
        async throws
    {
        let request = world.get("/held")
        var reader = request.downloadProgress(bufferingPolicy: .unbounded).makeAsyncIterator()
        request.resume()
        #expect(await reader.next()?.completed == 5)
        // What comes now waits behind this.
        let gate = DispatchSemaphore(value: 0)
        request.taskSession.delegateQueue.addOperation { gate.wait() }
        world.server.release("rest")
        request.cancel()
        #expect(await reader.next() == nil)
        #expect(request.state.withLock { $0.phase } == .open)
        var late = request.downloadProgress().makeAsyncIterator()
        #expect(await late.next() == nil)
        gate.signal()
    }

    @Test func `a request that has no task ends it when it is resumed`() async throws {
        let request = world.manager.request("")
        var reader = request.downloadProgress().makeAsyncIterator()
        request.resume()
        #expect(await reader.next() == nil)
    }
}
