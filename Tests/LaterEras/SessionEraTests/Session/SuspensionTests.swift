import OperationNetworking
import SessionEra
import TestSupport

@Suite("Suspend, resume and their notifications: UM-14, UM-15, LX-06", .timeLimit(.minutes(1)))
struct SuspensionTests {
    private let world = TestWorld.sessions()

    @Test func `suspending and resuming over and over ends with one whole body`() async {
        let (task, log) = world.dataTask(world.request("/bytes/300000?seed=4"))
        for _ in 0..<50 {
            task.resume()
            task.suspend()
        }
        task.resume()
        #expect(await log.reaches(1))
        #expect(log.all.first?.data == GeneratedBytes.bytes(seed: 4, range: 0..<300_000))
    }

    @Test func `resume, suspend and cancel from many threads end a task once`() async {
        for _ in 0..<20 {
            let (task, log) = world.dataTask(world.request("/redirect-chain?n=5"))
            task.resume()
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        if index.isMultiple(of: 2) { task.suspend() } else { task.resume() }
                        if index == 7 { task.cancel() }
                    }
                }
            }
            #expect(await log.reaches(1))
            #expect(log.all.count == 1)
        }
    }

    @Test func `cancelling and suspending at the moment of a transfer's end stop no process`() async
    {
        for turn in 0..<150 {
            let log = Log<Bool>()
            let task = world.manager.dataTask(with: world.request("/bytes/2000")) {
                _, object, error in
                log.add((object as? Data)?.count == 2000 || error != nil)
            }
            task.resume()
            for _ in 0..<(turn * 4) { await Task.yield() }
            if turn.isMultiple(of: 3) {
                task.suspend()
                task.resume()
            } else {
                task.cancel()
            }
            #expect(await log.reaches(1))
            #expect(log.all == [true])
        }
    }

    // MARK: - Notifications

    private func notices(_ task: SessionTask) -> Notices {
        Notices(.networkingTaskDidResume, .networkingTaskDidSuspend, of: task)
    }

    @Test func `UM-14.1 resume posts if the task was not running, and else nothing`() async {
        let task = world.manager.dataTask(with: world.request("/gate/never"))
        let notices = notices(task)
        task.resume()
        task.resume()
        await MainQueue.settle()
        #expect(notices.names == [.networkingTaskDidResume])
        task.cancel()
    }

    @Test func `UM-14.2 suspend posts if the task was not suspended, and else nothing`() async {
        let task = world.manager.dataTask(with: world.request("/gate/never"))
        let notices = notices(task)
        task.resume()
        task.suspend()
        await MainQueue.settle()
        #expect(notices.names == [.networkingTaskDidResume, .networkingTaskDidSuspend])
        task.cancel()
        let other = world.manager.dataTask(with: world.request("/gate/never"))
        let others = self.notices(other)
        other.suspend()
        await MainQueue.settle()
        #expect(others.names.isEmpty)
        other.cancel()
    }

    @Test func `UM-14.3 they are posted on main with the task as the object`() async {
        let task = world.manager.dataTask(with: world.request("/gate/never"))
        let notices = notices(task)
        task.resume()
        task.suspend()
        await MainQueue.settle()
        #expect(notices.log.all.map(\.wasMain) == [true, true])
        #expect(notices.log.all.allSatisfy { $0.object === task })
        task.cancel()
    }

    @Test func `UM-14.4 a task that is not a manager's posts nothing`()
        async
    {
        let task = world.manager.dataTask(with: world.request("/ok"))
        let notices = Notices(.networkingTaskDidResume, .networkingTaskDidSuspend)
        let foreign = URLSession.shared.dataTask(with: world.request("/ok"))
        foreign.resume()
        #expect(await world.data("/json").status == 200)
        await MainQueue.settle()
        #expect(!notices.log.all.contains { $0.object === task || $0.object === foreign })
    }

    @Test func `nothing is posted after the end of a task`() async {
        let log = Log<Bool>()
        let task = world.manager.dataTask(with: world.request("/ok")) { _, _, _ in log.add(true) }
        task.resume()
        #expect(await log.reaches(1))
        // The first one's notification may come after the end.
        await MainQueue.settle()
        let notices = notices(task)
        task.resume()
        task.suspend()
        await MainQueue.settle()
        #expect(notices.names.isEmpty)
    }

    @Test func `UM-15 a task's description is the caller's`() {
        let task = world.manager.dataTask(with: world.request("/ok"))
        #expect(task.taskDescription == nil)
        task.taskDescription = "mine"
        #expect(task.taskDescription == "mine")
        task.cancel()
    }
}
