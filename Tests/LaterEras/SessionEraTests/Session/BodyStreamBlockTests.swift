import OperationNetworking
import SessionEra
import TestSupport

@Suite("Tasks in the block for a new body stream: UM-22", .timeLimit(.minutes(1)))
struct BodyStreamBlockTests {
    private let world = TestWorld.sessions()

    /// Sends a body whose first stream is asked for with a block that does something to its task.
    private func sent(_ act: @escaping @Sendable (SessionTask) -> Void) async -> Outcome {
        let asked = Log<Bool>()
        world.manager.setTaskNeedNewBodyStreamBlock { _, task in
            if asked.all.isEmpty {
                asked.add(true)
                act(task)
            }
            return InputStream(data: Data("body".utf8))
        }
        return await world.outcome {
            world.manager.uploadTask(
                withStreamedRequest: world.request("/upload", "POST"),
                completionHandler: $0)
        }
    }

    @Test func `cancelling stops no process and cancels`() async {
        for _ in 0..<5 {
            let outcome = await sent { $0.cancel() }
            #expect((outcome.error as? URLError)?.code == .cancelled)
        }
        #expect(world.manager.tasks.isEmpty)
    }

    @Test func `suspending stops no process, and the task goes on when it is resumed`() async {
        let suspended = Log<SessionTask>()
        async let outcome = sent {
            $0.suspend()
            suspended.add($0)
        }
        #expect(await suspended.reaches(1))
        #expect(suspended.all.first?.state == .suspended)
        suspended.all.first?.resume()
        #expect(await outcome.status == 200)
        #expect(world.server.requests.last?.body == Data("body".utf8))
        let atOnce = await sent {
            $0.suspend()
            $0.resume()
        }
        #expect(atOnce.status == 200)
    }

    @Test func `another task may be resumed and cancelled`() async {
        let log = Log<String>()
        let other = world.manager.dataTask(with: world.request("/ok")) { _, _, error in
            log.add(error == nil ? "ok" : "error")
        }
        let cancelled = world.manager.dataTask(with: world.request("/ok")) { _, _, error in
            log.add((error as? URLError)?.code == .cancelled ? "cancelled" : "other")
        }
        let outcome = await sent { _ in
            other.resume()
            cancelled.resume()
            cancelled.cancel()
        }
        #expect(outcome.status == 200)
        #expect(await log.reaches(2))
        #expect(log.all.sorted() == ["cancelled", "ok"])
    }

    @Test func `reading the state does not wait for who cancels meanwhile`()
        async
    {
        let outcome = await sent { task in
            Thread.detachNewThread { task.cancel() }
            let end = Date(timeIntervalSinceNow: 10)
            while task.state == .running, Date() < end { sched_yield() }
            #expect(task.state == .canceling)
            _ = (task.response, task.currentRequest, task.countOfBytesSent)
        }
        #expect((outcome.error as? URLError)?.code == .cancelled)
    }
}
