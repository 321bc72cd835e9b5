import CurlConnection
import TestSupport

@testable import OperationNetworking

/// Who set success and failure and started an operation is told, though he keeps no reference to it
/// (wound 12); who never started it keeps nothing alive (wound 15).
@Suite("A started operation that nobody holds", .timeLimit(.minutes(5)))
struct UnheldOperationTests {
    private let world = TestWorld()
    private let success = Signal()
    private let failure = Signal()
    private let gone = Signal()

    private func operation(_ path: String) -> HTTPRequestOperation {
        let operation = world.httpOperation(path)
        operation.userInfo = ["sentinel": Sentinel(gone)]
        return operation
    }

    private func tell(_ operation: HTTPRequestOperation) {
        operation.setCompletionBlock(
            success: { [success] _, _ in success.fire() },
            failure: { [failure] _, _ in failure.fire() })
    }

    /// When the blocks are set that wait for the end.
    enum Setting: CaseIterable {
        case beforeStart, whilePaused, inBatch
    }

    /// Paused in the middle; only the weak reference is left.
    private func pausedAndDropped(_ setting: Setting = .beforeStart) async -> WeakReference {
        let operation = operation(world.gate("drop", after: 5))
        if setting != .whilePaused { tell(operation) }
        if setting == .inBatch {
            _ = URLConnectionOperation.batch(of: [operation], progress: nil, completion: nil)
        }
        operation.start()
        await world.reached("drop")
        operation.pause()
        if setting == .whilePaused { tell(operation) }
        await world.seesTheClose()
        return WeakReference(operation)
    }

    private func settle() async {
        await world.settle()
        await MainQueue.settle()
    }

    @Test(arguments: Setting.allCases)
    func `paused, it waits for its resume and tells success once`(_ setting: Setting) async {
        let reference = await pausedAndDropped(setting)
        await settle()
        #expect(gone.count == 0 && reference.operation?.isPaused == true)
        world.server.release("drop")
        reference.operation?.resume()
        await success.wait()
        await gone.wait(for: 1, "the operation to be freed after its end")
        #expect(success.count == 1 && failure.count == 0)
    }

    @Test func `paused and then cancelled, it tells failure once and is freed`() async {
        let reference = await pausedAndDropped()
        await settle()
        reference.operation?.cancel()
        await failure.wait()
        await gone.wait(for: 1, "the operation to be freed after its end")
        #expect(failure.count == 1 && success.count == 0)
    }

    @Test func `paused, with nobody to tell any more, it is freed`() async {
        let reference = await pausedAndDropped()
        reference.operation?.completionBlock = nil
        await settle()
        await gone.wait(for: 1, "the operation to be freed")
    }
}

/// An operation seen without holding it.
final class WeakReference: @unchecked Sendable {
    // @unchecked because the weak reference is written in `init` alone, and weak reads are atomic.
    private(set) weak var operation: HTTPRequestOperation?

    init(_ operation: HTTPRequestOperation) {
        self.operation = operation
    }
}
