import TestSupport

@testable import OperationNetworking

/// Settings are captured when a run starts; a later change counts for the next one (wound 50).
@Suite("What is set late", .timeLimit(.minutes(5)))
struct LateSettingTests {
    private static let body = Data("hello world".utf8)

    private let world = TestWorld()

    /// An operation that has stored five bytes and whose answer waits at the gate "late".
    private func halfway() async -> (operation: LifeOperation, end: Signal) {
        let operation = world.operation(world.gate("late", body: Self.body, after: 5))
        let end = operation.endSignal()
        let stored = Signal()
        operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
        operation.start()
        await stored.wait(for: 1, "five bytes")
        return (operation, end)
    }

    @Test func `what is set to nothing takes no memory`() {
        let operation = URLConnectionOperation(
            request: URLRequest(url: URL(fileURLWithPath: "/nothing")))
        operation.userInfo = [:]
        operation.outputStream = nil
        operation.stateObserver = nil
        #expect(operation.guarded.rare == nil)
        operation.userInfo = ["key": 1]
        operation.userInfo = [:]
        #expect(operation.userInfo.isEmpty)
    }

    // A wrong thread stops the process in a debug build, so these run in one of their own.

    @Test func `another thread set between start and connection waits for the next run`() async {
        await #expect(processExitsWith: .success) {
            let world = TestWorld()
            let operation = world.operation()
            let end = operation.endSignal()
            let hold = await world.holdThread()
            operation.start()
            operation.networkThread = NetworkThread(name: "other")
            hold.release()
            await end.wait()
            try #require(operation.responseString == "hello world")
        }
    }

    @Test(arguments: [true, false])
    func `another thread set during a run changes nothing for it`(isRunning: Bool) async {
        await #expect(processExitsWith: .success) { [isRunning] in
            let own = LateSettingTests()
            let (operation, end) = await own.halfway()
            operation.networkThread = NetworkThread(name: "other")
            if !isRunning { operation.pause() }
            operation.cancel()
            await end.wait()
            try #require((operation.error as? URLError)?.code == .cancelled)
            own.world.server.stop()
        }
    }

    @Test func `another stream set during a run is left alone by it`() async {
        let (operation, end) = await halfway()
        let stream = OutputDouble(.init())
        operation.outputStream = stream
        world.server.release("late")
        await end.wait()
        #expect(operation.responseData == Self.body)
        #expect(operation.outputStream === stream)
        #expect(stream.streamStatus == .notOpen && stream.stored.isEmpty)
    }

    @Test func `modes, limits, credentials and blocks can be set during a run`() async {
        let (operation, end) = await halfway()
        operation.runLoopModes = [RunLoop.Mode("nobody")]
        operation.timeoutIntervalForResource = 0.001
        operation.shouldUseCredentialStorage = false
        operation.credential = URLCredential(user: "u", password: "p", persistence: .none)
        operation.userInfo = ["a": 1]
        operation.setRedirectResponseBlock { _, _, _ in nil }
        world.server.release("late")
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData == Self.body)
    }

    @Test func `a completion block that is set after the end is not kept`() async {
        let operation = world.operation()
        await operation.run()
        await MainQueue.settle()
        let gone = Signal()
        operation.completionBlock = { [sentinel = Sentinel(gone)] in sentinel.touch() }
        await gone.wait(for: 1, "the block to be freed")
        #expect(operation.completionBlock == nil)
    }

    @Test func `blocks that are set after the end are not kept`() async {
        let operation = world.operation()
        await operation.run()
        await MainQueue.settle()
        let gone = Signal()
        let block = { @Sendable [sentinel = Sentinel(gone)] (_: Int64, _: Int64, _: Int64) in
            sentinel.touch()
        }
        operation.setDownloadProgressBlock(block)
        operation.setUploadProgressBlock(block)
        #expect(operation.guarded.blocks.downloadProgress == nil)
        #expect(operation.guarded.blocks.uploadProgress == nil)
    }
}
