import TestSupport

@testable import OperationNetworking

/// What an operation hands to its thread is done in its order, whatever modes it had when (wound 50).
@Suite("Modes that change between two runs", .timeLimit(.minutes(5)))
struct ChangedModesTests {
    private static let own = RunLoop.Mode("ChangedModesTests.own")
    private let world = TestWorld()

    @Test(arguments: [[Set([RunLoop.Mode.default]), [.common]], [[.common], [.default]]])
    func `a pause that waits for the thread does not end the run that follows it`(
        modes: [Set<RunLoop.Mode>]
    ) async {
        let operation = world.operation(world.gate("first", after: 5))
        let end = operation.endSignal()
        operation.runLoopModes = modes[0]
        operation.start()
        await world.reached("first")
        let hold = await world.holdThread()
        world.thread.perform(inModes: modes[1]) {}
        operation.pause()
        operation.runLoopModes = modes[1]
        operation.resume()
        hold.release()
        world.server.release("first")
        await end.wait()
        #expect(operation.responseString == "hello world")
    }

    @Test func `a mode nobody runs, set while it is paused, keeps no cancel from ending it`() async
    {
        let operation = world.operation(world.gate("mode", after: 5))
        let end = operation.endSignal()
        operation.start()
        await world.reached("mode")
        operation.pause()
        operation.runLoopModes = [Self.own]
        operation.resume()
        await world.settle()
        operation.cancel()
        await end.wait()
        operation.expectCancelled()
    }

    @Test func `from a mode nobody runs, the common modes let it go on`() async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.runLoopModes = [Self.own]
        operation.start()
        await world.settle()
        operation.pause()
        operation.runLoopModes = [.common]
        operation.resume()
        await end.wait()
        #expect(operation.responseString == "hello world")
    }

    @Test func `a thread that runs its loop in a mode of the caller's serves that mode`() async {
        let operation = world.operation()
        operation.runLoopModes = [Self.own]
        let end = operation.endSignal()
        let inside = LifeHold()
        // From a timer: inside a block, CoreFoundation holds the other blocks back.
        world.thread.perform(inModes: [.common]) {
            let timer = Timer(timeInterval: 0, repeats: false) { _ in
                let keepAlive = Timer(timeInterval: 3_600, repeats: false) { _ in }
                RunLoop.current.add(keepAlive, forMode: Self.own)
                inside.isHeld.fire()
                let limit = Date(timeIntervalSinceNow: patience / 2)
                while !operation.isFinished, Date() < limit {
                    _ = RunLoop.current.run(
                        mode: Self.own, before: Date(timeIntervalSinceNow: 0.05))
                }
                keepAlive.invalidate()
            }
            RunLoop.current.add(timer, forMode: .common)
        }
        await inside.isHeld.wait(for: 1, "the thread in the mode")
        operation.start()
        await end.wait()
        #expect(operation.responseString == "hello world")
    }
}
