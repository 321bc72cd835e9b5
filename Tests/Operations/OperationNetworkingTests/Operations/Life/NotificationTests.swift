import TestSupport

@testable import OperationNetworking

/// NO-1, NO-2 and wound 52: each start that was told of has one finish, on main.
@Suite("Notifications", .timeLimit(.minutes(5)))
struct NotificationTests {
    private let world = TestWorld()

    @Test func `paused when its result had arrived: no second finish`() async {
        let hold = LifeHold()
        let operation = world.operation()
        let watch = Watch(operation)
        let end = operation.endSignal()
        operation.at(.loaded) { hold.stop() }
        operation.start()
        await hold.isHeld.wait(for: 1, "the result")
        operation.pause()
        hold.release()
        await end.wait()
        #expect(await watch.reported() == ["start", "finish"])
    }

    @Test func `paused and resumed when its result had arrived: balanced`() async {
        let hold = LifeHold()
        let operation = world.operation()
        let watch = Watch(operation)
        let end = operation.endSignal()
        operation.at(.loaded) { hold.stop() }
        operation.start()
        await hold.isHeld.wait(for: 1, "the result")
        operation.pause()
        operation.resume()
        hold.release()
        await end.wait()
        #expect(await watch.isBalanced())
    }

    @Test func `paused before the connection: the resume alone is a start`() async {
        let hold = await world.holdThread()
        let operation = world.operation()
        let watch = Watch(operation)
        let end = operation.endSignal()
        operation.start()
        operation.pause()
        hold.release()
        await world.settle()
        #expect(await watch.reported() == [])
        operation.resume()
        await end.wait()
        #expect(await watch.reported() == ["start", "finish"])
    }

    @Test func `paused and resumed before the start: nothing of that is told`() async {
        let operation = world.operation()
        let watch = Watch(operation)
        operation.pause()
        operation.resume()
        #expect(await watch.reported() == [])
        await operation.run()
        #expect(await watch.reported() == ["start", "finish"])
    }

    private func act(on operation: LifeOperation, _ choice: Int) async {
        switch choice {
        case 0: operation.cancel()
        case 1, 2: operation.pause()
        case 3, 4: operation.resume()
        case 5: await world.settle()
        case 6: await MainQueue.settle()
        default: operation.start()
        }
    }

    @Test func `whatever is done in whatever order, starts and finishes are balanced`() async {
        var random = SeededNumbers(seed: 52)
        let path = world.gate("any", after: 5)
        world.server.release("any")
        for _ in 0..<60 {
            let operation = world.operation(path)
            let watch = Watch(operation)
            let end = operation.endSignal()
            operation.start()
            for _ in 0..<6 { await act(on: operation, Int.random(in: 0..<8, using: &random)) }
            operation.resume()
            await end.wait()
            #expect(await watch.isBalanced())
            await MainQueue.settle()
            #expect(end.count == 1 && operation.isFinished && !operation.isPaused)
        }
    }
}

/// Hears both notifications of one operation.
private final class Watch: @unchecked Sendable {
    // @unchecked because the tokens, which are constant, do not say that they are Sendable.
    private let log = Log<String>()
    private let tokens: [any NSObjectProtocol]

    init(_ operation: URLConnectionOperation) {
        let names: [(Notification.Name, String)] = [
            (.networkingOperationDidStart, "start"), (.networkingOperationDidFinish, "finish"),
        ]
        tokens = names.map { [log] name, text in
            NotificationCenter.default.addObserver(forName: name, object: operation, queue: nil) {
                [weak operation] notification in
                #expect(MainQueue.isCurrent)
                #expect(notification.object as? URLConnectionOperation === operation)
                log.add(text)
            }
        }
    }

    deinit {
        tokens.forEach { NotificationCenter.default.removeObserver($0) }
    }

    /// What was told by now.
    func reported() async -> [String] {
        await MainQueue.settle()
        return log.all
    }

    /// Whether starts and finishes take turns; a finish alone is what a cancelled start gives.
    func isBalanced() async -> Bool {
        let reported = await reported()
        let pairs = reported.enumerated().allSatisfy { place, text in
            text == (place.isMultiple(of: 2) ? "start" : "finish")
        }
        return reported == ["finish"] || (pairs && reported.count.isMultiple(of: 2))
    }
}
