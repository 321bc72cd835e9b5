import TestSupport

@testable import OperationNetworking

/// CB-1 to CB-4: where, when and how often the completion block runs.
@Suite("Completion blocks", .timeLimit(.minutes(5)))
struct CompletionTests {
    private let world = TestWorld()

    @Test func `it runs on its queue, the one set when the operation finishes`() async {
        let key = DispatchSpecificKey<String>()
        let queues = ["first", "second"].map { name in
            let queue = DispatchQueue(label: name)
            queue.setSpecific(key: key, value: name)
            return queue
        }
        let operation = world.operation(world.gate("queue"))
        let log = Log<String?>()
        let end = Signal()
        operation.completionQueue = queues[0]
        operation.completionBlock = {
            log.add(DispatchQueue.getSpecific(key: key))
            end.fire()
        }
        operation.start()
        await world.reached("queue")
        operation.completionQueue = queues[1]
        world.server.release("queue")
        await end.wait()
        #expect(log.all == ["second"])
    }

    @Test func `its group is left only after it ran`() async {
        let operation = world.operation()
        let group = DispatchGroup()
        let hold = LifeHold()
        let left = Signal()
        operation.completionGroup = group
        operation.completionQueue = DispatchQueue(label: "held")
        operation.completionBlock = { hold.stop() }
        operation.start()
        await hold.isHeld.wait(for: 1, "the block")
        group.notify(queue: .main) { left.fire() }
        await MainQueue.settle()
        #expect(left.count == 0 && operation.isFinished)
        hold.release()
        await left.wait(for: 1, "the group")
    }

    @Test func `a queue that is held up does not hold up the end`() async {
        let operation = world.operation()
        let finished = Signal()
        let end = operation.endSignal()
        let held = DispatchQueue(label: "suspended")
        held.suspend()
        operation.completionQueue = held
        operation.stateObserver = {
            if $0 == StateAnnouncement(keyPath: "isFinished", isTrue: true) { finished.fire() }
        }
        operation.start()
        await finished.wait()
        #expect(operation.isFinished && end.count == 0)
        held.resume()
        await end.wait()
    }

    @Test func `the getter gives what delivers the block to its queue, nil when none is set`()
        async
    {
        let operation = world.operation()
        #expect(operation.completionBlock == nil)
        let onMain = Log<Bool>()
        let end = Signal()
        operation.completionBlock = {
            onMain.add(MainQueue.isCurrent)
            end.fire()
        }
        await onNewThread { [block = operation.completionBlock] in block?() }
        await end.wait()
        #expect(onMain.all == [true])
        operation.completionBlock = nil
        #expect(operation.completionBlock == nil)
    }

    @Test func `the block may clear itself, and is gone after the end anyway`() async {
        let gone = Signal()
        for clears in [true, false] {
            let operation = world.operation()
            let end = Signal()
            operation.completionBlock = { [sentinel = Sentinel(gone), unowned operation] in
                if clears { operation.completionBlock = nil }
                sentinel.touch()
                end.fire()
            }
            operation.start()
            await end.wait()
            await gone.wait(for: clears ? 1 : 2, "the block's end")
            #expect(operation.completionBlock == nil && end.count == 1)
        }
    }

    @Test func `set to nil while running none runs`() async {
        let operation = world.operation(world.gate("nil"))
        let queue = OperationQueue()
        let end = operation.endSignal()
        queue.take(operation)
        await world.reached("nil")
        operation.completionBlock = nil
        world.server.release("nil")
        await world.empties(queue)
        await MainQueue.settle()
        #expect(end.count == 0 && operation.isFinished)
    }

    @Test func `nil for queue and group is main and none, also after others were set`() async {
        let operation = world.operation()
        let group = DispatchGroup()
        let end = Signal()
        operation.completionQueue = DispatchQueue(label: "other")
        operation.completionGroup = group
        operation.completionQueue = nil
        operation.completionGroup = nil
        operation.completionBlock = {
            #expect(MainQueue.isCurrent)
            end.fire()
        }
        operation.start()
        await end.wait()
        #expect(group.wait(timeout: .now()) == .success)
    }

    @Test func `start, progress, finish and completion come on main in that order`() async {
        let operation = world.operation()
        let log = Log<String>()
        let end = Signal()
        let tokens = [
            (Notification.Name.networkingOperationDidStart, "start"),
            (.networkingOperationDidFinish, "finish"),
        ].map { name, text in
            NotificationCenter.default.addObserver(forName: name, object: operation, queue: nil) {
                _ in log.add(text)
            }
        }
        defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
        operation.setDownloadProgressBlock { _, _, _ in log.add("progress") }
        operation.completionBlock = {
            log.add("completion")
            end.fire()
        }
        operation.start()
        await end.wait()
        await MainQueue.settle()
        #expect(log.all == ["start", "progress", "finish", "completion"])
    }

    @Test func `the block runs on main though the operation is gone`() async {
        let end = Signal()
        let onMain = Log<Bool>()
        let wrapper: (@Sendable () -> Void)?
        do {
            let operation = world.operation()
            operation.completionQueue = DispatchQueue(label: "gone with it")
            operation.completionBlock = {
                onMain.add(MainQueue.isCurrent)
                end.fire()
            }
            wrapper = operation.completionBlock
        }
        wrapper?()
        await end.wait()
        #expect(onMain.all == [true])
    }
}
