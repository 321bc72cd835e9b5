import TestSupport

@testable import OperationNetworking

/// The four states an operation can be in when it is copied or archived.
enum LifeStage: CaseIterable, Sendable {
    case ready, executing, paused, finished
}

/// An operation in one of its states, the first piece of its body received if it was started.
final class StagedOperation: Sendable {
    let operation: URLConnectionOperation
    let end: Signal
    private let world: TestWorld

    init(_ operation: URLConnectionOperation, at stage: LifeStage, on world: TestWorld) async {
        self.operation = operation
        self.world = world
        operation.networkThread = world.thread
        let stored = Signal()
        operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
        end = operation.endSignal()
        if stage == .ready { return }
        operation.start()
        await stored.wait()
        switch stage {
        case .paused:
            operation.pause()
            await world.settle()
        case .finished:
            world.server.release("rest")
            await end.wait()
        case .ready, .executing:
            break
        }
    }

    static func request(_ world: TestWorld) -> URLRequest {
        var request = world.request("/three/held")
        request.setValue("mine", forHTTPHeaderField: "X-Own")
        request.timeoutInterval = 47
        return request
    }

    /// What must not change by copying or archiving.
    var state: [Bool] {
        [operation.isReady, operation.isExecuting, operation.isPaused, operation.isFinished]
    }

    /// Lets the original come to its end, which must be the same as ever.
    func expectUntouched(_ request: URLRequest, _ before: [Bool], _ stage: LifeStage) async {
        #expect(state == before)
        #expect(operation.request == request)
        #expect(operation.request.allHTTPHeaderFields == request.allHTTPHeaderFields)
        world.server.release("rest")
        if stage == .ready { operation.start() }
        if stage == .paused { operation.resume() }
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData == Pieces.whole)
    }
}

@Suite("Copies of an operation", .timeLimit(.minutes(5)))
struct OperationCopyTests {
    private let world = TestWorld(routes: .pieces)

    private func copy<Kind: URLConnectionOperation>(of operation: Kind) throws -> Kind {
        try #require(operation.copy() as? Kind)
    }

    @Test(
        arguments: LifeStage.allCases)
    func `a copy is ready and has no results; the original stays as it was (CO-6)`(stage: LifeStage)
        async throws
    {
        let request = StagedOperation.request(world)
        let staged = await StagedOperation(
            URLConnectionOperation(request: request), at: stage, on: world)
        let before = staged.state
        let copy = try copy(of: staged.operation)
        #expect(copy !== staged.operation)
        #expect(copy.isReady && !copy.isExecuting && !copy.isPaused && !copy.isFinished)
        #expect(copy.request == request)
        #expect(copy.response == nil)
        #expect(copy.responseData == nil)
        #expect(copy.error == nil)
        #expect(copy.totalBytesRead == 0)
        #expect(copy.completionBlock == nil)
        await staged.expectUntouched(request, before, stage)
        await copy.run()
        #expect(copy.error == nil)
        #expect(copy.responseData == Pieces.whole)
    }

    @Test
    func `a copy has the settings, but no stream, completion block or user info (CO-6, wound 5)`()
        throws
    {
        let operation = world.plainOperation("/ok")
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "copy")
        operation.runLoopModes = [.default]
        operation.timeoutIntervalForResource = 12
        operation.shouldUseCredentialStorage = false
        operation.credential = URLCredential(
            user: "user", password: "pass", persistence: .forSession)
        operation.completionQueue = queue
        operation.completionGroup = group
        operation.completionBlock = {}
        operation.outputStream = .toMemory()
        operation.userInfo = ["key": "value"]
        let copy = try copy(of: operation)
        #expect(copy.networkThread === world.thread)
        #expect(copy.runLoopModes == [.default])
        #expect(copy.timeoutIntervalForResource == 12)
        #expect(!copy.shouldUseCredentialStorage)
        #expect(copy.credential?.user == "user")
        #expect(copy.completionQueue === queue)
        #expect(copy.completionGroup === group)
        #expect(copy.completionBlock == nil)
        #expect(copy.userInfo.isEmpty)
        #expect(copy.outputStream !== operation.outputStream)
    }

    @Test
    func `a copy calls the original's progress, challenge, and redirect blocks (CO-6)`()
        async throws
    {
        var request = world.request("/redirect?to=/basic&status=307")
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        let operation = world.plainOperation(request)
        let log = Log<String>()
        operation.setUploadProgressBlock { _, _, _ in log.add("upload") }
        operation.setDownloadProgressBlock { _, _, _ in log.add("download") }
        operation.setRedirectResponseBlock { _, request, response in
            if response != nil { log.add("redirect") }
            return request
        }
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
            log.add("challenge")
            challenge.sender?.use(
                URLCredential(user: "user", password: "pass", persistence: .none), for: challenge)
        }
        let copy = try copy(of: operation)
        await copy.run()
        #expect(copy.responseString == "authorized")
        #expect(Set(log.all) == ["upload", "download", "redirect", "challenge"])
    }
}

/// A subclass; at the top level, so that an archive can name it.
final class ArchivableOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds nothing.
}
