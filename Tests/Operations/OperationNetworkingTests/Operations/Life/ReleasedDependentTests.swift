import TestSupport

@testable import OperationNetworking

/// Foundation keeps what waits for an operation as a bare pointer; nothing of ours may be gone when
/// it is followed. It stops the process, so each runs in one of its own.
@Suite("A dependent that goes before its predecessor", .timeLimit(.minutes(5)))
struct ReleasedDependentTests {
    /// What the dependents wait for.
    enum Predecessor: Int, CaseIterable, Codable {
        case block, ours
    }

    /// What waits.
    enum Dependent: Int, CaseIterable, Codable {
        case request, download, endOfBatch
    }

    @Test(arguments: Predecessor.allCases, Dependent.allCases)
    func `cancelled, ended and released, it is not touched any more`(
        _ predecessor: Predecessor, _ dependent: Dependent
    ) async {
        await #expect(processExitsWith: .success) { [predecessor, dependent] in
            let room = PredecessorRoom(predecessor, dependent)
            let gone = Signal()
            let queue = OperationQueue()
            do {
                let dependents = room.dependents(gone)
                for dependent in dependents { queue.take(dependent) }
                for dependent in dependents { dependent.cancel() }
                await onNewThread { queue.waitUntilAllOperationsAreFinished() }
                await room.life.settle()
                await MainQueue.settle()
            }
            await gone.wait(for: PredecessorRoom.count, "the dependents to be freed")
            try await room.finish()
        }
    }

    @Test(arguments: Predecessor.allCases, Dependent.allCases)
    func `never started and released, it is not touched any more`(
        _ predecessor: Predecessor, _ dependent: Dependent
    ) async {
        await #expect(processExitsWith: .success) { [predecessor, dependent] in
            let room = PredecessorRoom(predecessor, dependent)
            let gone = Signal()
            _ = room.dependents(gone)
            await gone.wait(for: PredecessorRoom.count, "the dependents to be freed")
            try await room.finish()
        }
    }

    @Test(arguments: Predecessor.allCases, Dependent.allCases)
    func `never started, it is freed with a predecessor that never started`(
        _ predecessor: Predecessor, _ dependent: Dependent
    ) async throws {
        let gone = Signal()
        do {
            let room = PredecessorRoom(predecessor, dependent, isStarted: false)
            _ = room.dependents(gone)
        }
        await gone.wait(for: PredecessorRoom.count, "the dependents to be freed")
    }
}

@Suite("Dependencies", .timeLimit(.minutes(5)))
struct DependencyTests {
    private let room = TestWorld()
    private let queue = OperationQueue()

    @Test func `an operation says what it waits for, once each, also after its end`() async {
        let (first, second) = (room.operation(), BlockOperation {})
        let operation = room.operation()
        for one in [first, second, first] { operation.addDependency(one) }
        #expect(operation.dependencies == [first, second] && !operation.isReady)
        let end = operation.endSignal()
        queue.take(operation, first, second)
        await end.wait()
        #expect(operation.error == nil && first.isFinished && second.isFinished)
        #expect(operation.dependencies == [first, second])
    }

    @Test(arguments: ReleasedDependentTests.Dependent.allCases)
    func `what it waits for no more holds it up no more`(
        _ dependent: ReleasedDependentTests.Dependent
    ) async {
        let (first, second) = (room.operation(), room.operation())
        let end = Signal()
        let operation = room.dependent(dependent, end)
        operation.addDependency(first)
        operation.addDependency(second)
        operation.removeDependency(first)
        #expect(operation.dependencies == [second] && !operation.isReady)
        queue.take(operation, second)
        await end.wait()
        await room.empties(queue)
        #expect(second.isFinished && !first.isFinished)
    }

    /// Whether the one that is waited for no more has ended by then.
    @Test(arguments: ReleasedDependentTests.Dependent.allCases, [true, false])
    func `cancelled, and then told to wait no more, it ends in its queue`(
        _ dependent: ReleasedDependentTests.Dependent, hasEnded: Bool
    ) async {
        let first = room.operation()
        let end = Signal()
        let operation = room.dependent(dependent, end)
        queue.isSuspended = true
        operation.addDependency(first)
        if hasEnded {
            await first.run()
        }
        queue.take(operation)
        operation.cancel()
        operation.removeDependency(first)
        #expect(operation.isReady && operation.dependencies == [])
        queue.isSuspended = false
        await end.wait()
        // A batch's last block is called inside the operation that ends it.
        await room.empties(queue)
        #expect(operation.isFinished && first.isFinished == hasEnded)
    }

    @Test(arguments: ReleasedDependentTests.Dependent.allCases)
    func `told to wait no more, it may be told to wait again`(
        _ dependent: ReleasedDependentTests.Dependent
    ) async {
        let first = room.operation()
        let end = Signal()
        let operation = room.dependent(dependent, end)
        operation.addDependency(first)
        operation.removeDependency(first)
        #expect(operation.isReady && operation.dependencies == [])
        operation.addDependency(first)
        #expect(!operation.isReady && operation.dependencies == [first])
        queue.take(operation, first)
        await end.wait()
        #expect(first.isFinished)
    }

    @Test func `an end that came before is waited for no more`() async {
        let first = room.operation()
        await first.run()
        let operation = room.operation()
        operation.addDependency(first)
        #expect(operation.isReady && operation.dependencies == [first])
        await operation.run()
        #expect(operation.error == nil)
    }
}

/// A predecessor that runs until it is let go, and what waits for it.
private final class PredecessorRoom: @unchecked Sendable {
    // @unchecked because all of it is constant.
    static let count = 200

    let life = TestWorld()
    private let predecessor: Operation
    private let dependent: ReleasedDependentTests.Dependent
    private let hold = LifeHold()

    init(
        _ kind: ReleasedDependentTests.Predecessor, _ dependent: ReleasedDependentTests.Dependent,
        isStarted: Bool = true
    ) {
        self.dependent = dependent
        switch kind {
        case .block: predecessor = BlockOperation { [hold] in hold.stop() }
        case .ours: predecessor = life.operation(life.gate("predecessor"))
        }
        if isStarted { OperationQueue().take(predecessor) }
    }

    func dependents(_ gone: Signal) -> [Operation] {
        (0..<Self.count).map { _ in
            let operation = life.dependent(dependent, Signal(), Sentinel(gone))
            operation.addDependency(predecessor)
            return operation
        }
    }

    /// Lets the predecessor end, where memory that was freed holds something else by now.
    func finish() async throws {
        let others = (0..<20_000).map { number in
            Data(repeating: UInt8(truncatingIfNeeded: number), count: 64 + number % 960)
        }
        hold.release()
        life.server.release("predecessor")
        await onNewThread { [predecessor] in predecessor.waitUntilFinished() }
        await life.settle()
        try #require(predecessor.isFinished && others.count == 20_000)
    }
}

extension TestWorld {
    /// Something that can wait for others, and holds a sentinel as long as it lives.
    fileprivate func dependent(
        _ kind: ReleasedDependentTests.Dependent, _ end: Signal, _ sentinel: Sentinel? = nil
    ) -> Operation {
        switch kind {
        case .request:
            let operation = operation()
            operation.userInfo = ["sentinel": sentinel as Any]
            operation.completionBlock = { end.fire() }
            return operation
        case .download:
            // There is no such folder, so nothing is written.
            let file = URL(filePath: "/nowhere/at/all")
            let download = FileDownloadOperation(request("/ok"), to: file) { _ in
                sentinel?.touch()
            }
            download.setResultBlock { _ in end.fire() }
            return download
        case .endOfBatch:
            let batch = URLConnectionOperation.batch(of: [], progress: nil) { _ in
                sentinel?.touch()
                end.fire()
            }
            return batch[0]
        }
    }
}
