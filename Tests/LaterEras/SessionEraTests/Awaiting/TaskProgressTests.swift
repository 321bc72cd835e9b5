import OperationNetworking
import SessionEra
import TestSupport

@Suite("Progress of a session's tasks that tasks read", .timeLimit(.minutes(2)))
struct TaskProgressTests {
    private let world = TestWorld.sessions()

    init() {
        world.server.add("/held") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "11")])),
                .bytes(Data("hello".utf8)), .wait(gate: "rest"), .bytes(Data(" world".utf8)),
            ])
        }
    }

    @Test func `a reader sees how far a body is, and the stream ends with the task`() async throws {
        for task in [
            world.manager.dataTask(with: world.request("/held"), completionHandler: nil),
            world.manager.downloadTask(
                with: world.request("/held"), destination: nil, completionHandler: nil),
        ] {
            world.server.hold("rest")
            var reader = task.downloadProgress().makeAsyncIterator()
            var other = task.downloadProgress().makeAsyncIterator()
            let all = task.downloadProgress(bufferingPolicy: .unbounded)
            task.resume()
            #expect(await reader.next() == OperationProgress(5, of: 11))
            world.server.release("rest")
            #expect(await reader.next() == OperationProgress(11, of: 11))
            #expect(await reader.next() == nil)
            // Who comes late sees the newest.
            #expect(await other.next() == OperationProgress(11, of: 11))
            #expect(await other.next() == nil)
            #expect(await all.map(\.completed).reduce(into: []) { $0.append($1) } == [5, 11])
            var late = task.downloadProgress().makeAsyncIterator()
            #expect(await late.next() == nil)
        }
    }

    @Test func `a reader sees how far an upload is, and the property stays`() async throws {
        world.server.add("/upload") { .text("\($0.body.count)") }
        let task = world.manager.uploadTask(
            with: world.request("/upload", "POST"), from: Data(count: 200_000),
            progress: nil, completionHandler: nil)
        let stream = task.uploadProgress()
        task.resume()
        var last: OperationProgress?
        for await progress in stream {
            #expect(progress.completed >= last?.completed ?? 0)
            last = progress
        }
        #expect(last == OperationProgress(200_000, of: 200_000))
        #expect(task.uploadProgress.completedUnitCount == 200_000)
    }

    @Test func `a cancel ends it before the task has ended, and nothing comes after`() async throws
    {
        let task = world.manager.dataTask(with: world.request("/held"), completionHandler: nil)
        var reader = task.downloadProgress(bufferingPolicy: .unbounded).makeAsyncIterator()
        task.resume()
        #expect(await reader.next()?.completed == 5)
        // What comes now waits behind this.
        let gate = DispatchSemaphore(value: 0)
        world.manager.operationQueue.addOperation { gate.wait() }
        world.server.release("rest")
        task.cancel()
        #expect(await reader.next() == nil)
        #expect(task.state == .canceling)
        var late = task.downloadProgress().makeAsyncIterator()
        #expect(await late.next() == nil)
        gate.signal()
    }

    @Test func `a task that could not be made has none; one whose reader is cancelled goes on`()
        async throws
    {
        var request = world.request("/ok")
        request.url = nil
        let none = world.manager.dataTask(with: request, completionHandler: nil)
        var reader = none.downloadProgress().makeAsyncIterator()
        #expect(await reader.next() == nil)
        let ended = Signal()
        let task = world.manager.dataTask(with: world.request("/held")) { _, object, _ in
            #expect((object as? Data)?.count == 11)
            ended.fire()
        }
        let first = Signal()
        let reading = Task {
            for await _ in task.downloadProgress() { first.fire() }
        }
        task.resume()
        await first.wait()
        reading.cancel()
        await reading.value
        world.server.release("rest")
        await ended.wait()
    }
}
