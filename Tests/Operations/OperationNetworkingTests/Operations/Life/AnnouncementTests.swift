import TestSupport

@testable import OperationNetworking

@Suite("Announcements of states", .timeLimit(.minutes(5)))
struct AnnouncementTests {
    private let world = TestWorld()
    private let log = Log<StateAnnouncement>()

    private func observed(_ path: String = "/ok") -> LifeOperation {
        let operation = world.operation(path)
        operation.stateObserver = { [log] in log.add($0) }
        return operation
    }

    private func reported(_ keyPath: String, _ isTrue: Bool) -> StateAnnouncement {
        StateAnnouncement(keyPath: keyPath, isTrue: isTrue)
    }

    @Test func `a pause while executing and a resume pass through ready`() async {
        let hold = await world.holdThread()
        let operation = observed()
        let end = operation.endSignal()
        operation.start()
        operation.pause()
        operation.resume()
        #expect(
            log.all == [
                reported("isReady", false), reported("isExecuting", true),
                reported("isExecuting", false), reported("isPaused", true),
                reported("isPaused", false), reported("isReady", true),
                reported("isReady", false), reported("isExecuting", true),
            ])
        hold.release()
        await end.wait()
        #expect(
            log.all.suffix(2) == [reported("isExecuting", false), reported("isFinished", true)])
        #expect(operation.error == nil)
    }

    @Test func `a cancel of what was paused unstarted makes it ready`() async {
        let operation = observed()
        operation.pause()
        operation.cancel()
        #expect(
            log.all.suffix(3) == [
                reported("isCancelled", true), reported("isPaused", false),
                reported("isReady", true),
            ])
        await operation.run()
        #expect(log.all.suffix(2) == [reported("isReady", false), reported("isFinished", true)])
    }

    @Test func `isCancelled is announced once`() async {
        let operation = observed()
        let end = operation.endSignal()
        operation.cancel()
        operation.cancel()
        operation.start()
        await end.wait()
        operation.cancel()
        #expect(log.all.count { $0.keyPath == "isCancelled" } == 1)
    }

    @Test func `when isFinished is announced nothing executes and the results are there`() async {
        let operation = world.operation()
        let seen = Log<String>()
        operation.stateObserver = { [unowned operation] announcement in
            guard announcement == StateAnnouncement(keyPath: "isFinished", isTrue: true) else {
                return
            }
            let text = operation.responseData.map { String(decoding: $0, as: UTF8.self) }
            seen.add("\(operation.isFinished) \(operation.isExecuting) \(text ?? "nothing")")
        }
        await operation.run()
        #expect(seen.all == ["true false hello world"])
    }

    @Test func `what is announced is what the getter says at that moment`() async {
        let operation = world.operation()
        let wrong = Log<String>()
        operation.stateObserver = { [unowned operation] in
            if operation.says($0.keyPath) != $0.isTrue { wrong.add("\($0)") }
        }
        let end = operation.endSignal()
        operation.pause()
        operation.resume()
        operation.start()
        operation.pause()
        operation.resume()
        operation.cancel()
        await end.wait()
        #expect(wrong.all == [])
    }

    @Test(arguments: ["isReady", "isExecuting"])
    func `a change made inside an announcement leaves no announcement that is wrong`(
        keyPath: String
    ) async {
        let hold = await world.holdThread()
        let operation = world.operation()
        let once = Signal()
        let wrong = Log<String>()
        operation.stateObserver = { [unowned operation] in
            if operation.says($0.keyPath) != $0.isTrue { wrong.add("\($0)") }
            if $0.keyPath == keyPath, once.count == 0 {
                once.fire()
                operation.pause()
            }
        }
        operation.start()
        #expect(operation.isPaused)
        #expect(wrong.all == [])
        let end = operation.endSignal()
        operation.resume()
        hold.release()
        await end.wait()
        #expect(wrong.all == [] && operation.error == nil)
    }

    @Test func `an event that means nothing is not announced`() async {
        let operation = observed()
        let end = operation.endSignal()
        operation.resume()
        operation.start()
        operation.start()
        operation.resume()
        await end.wait()
        let count = log.all.count
        operation.start()
        operation.pause()
        operation.resume()
        operation.cancel()
        #expect(log.all.count == count && count == 4)
        #expect(operation.isFinished && !operation.isCancelled)
    }
}

extension URLConnectionOperation {
    /// What the getter of a key path says.
    func says(_ keyPath: String) -> Bool {
        switch keyPath {
        case "isReady": isReady
        case "isExecuting": isExecuting
        case "isFinished": isFinished
        case "isPaused": isPaused
        default: isCancelled
        }
    }
}
