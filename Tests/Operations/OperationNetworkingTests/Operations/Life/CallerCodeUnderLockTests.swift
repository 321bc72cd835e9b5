import CurlConnection
import TestSupport

@testable import OperationNetworking

/// What of a caller's code an operation calls while it changes its state.
@Suite("A caller's code and an operation's lock", .timeLimit(.minutes(2)))
struct CallerCodeUnderLockTests {
    private let world = TestWorld()
    private let probe = LockProbe()

    @Test func `isReady of a dependent of the caller's class is asked without the lock`() async {
        let operation = world.operation()
        let dependent = ProbedDependent(probe, of: operation)
        dependent.addDependency(operation)
        let end = operation.endSignal()
        probe.arm(on: world.thread)
        operation.start()
        await end.wait()
        #expect(probe.answers.all == [true])
        #expect(dependent.isReady)
    }

    @Test func `an overridden getter is called without the lock`() async {
        let operation = ProbedOperation(request: world.request("/ok"))
        operation.networkThread = world.thread
        operation.probe.withLock { $0 = probe }
        let end = operation.endSignal()
        probe.arm(on: world.thread)
        operation.start()
        await end.wait()
        #expect(probe.answers.all == [true])
    }

    @Test func `the completionBlock of a subclass is asked for a batch without the lock`() {
        let operation = ProbedOperation(request: world.request("/ok"))
        operation.probe.withLock { $0 = probe }
        probe.arm(on: nil)
        _ = URLConnectionOperation.batch(of: [operation], progress: nil, completion: nil)
        #expect(probe.answers.all == [true])
    }
}

/// Sees whether an operation's lock is free for other threads.
private final class LockProbe: Sendable {
    /// Whether it was.
    let answers = Log<Bool>()
    private let armed = Locked<(isArmed: Bool, thread: NetworkThread?)>((false, nil))

    /// Has it look once, on that thread; nil is any.
    func arm(on thread: NetworkThread?) {
        armed.withLock { $0 = (true, thread) }
    }

    func look(at operation: URLConnectionOperation) {
        let isDue = armed.withLock { armed in
            guard armed.isArmed, armed.thread?.isCurrent != false else { return false }
            armed.isArmed = false
            return true
        }
        guard isDue else { return }
        let isFree = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            operation.lock.withLock {}
            isFree.signal()
        }
        answers.add(isFree.wait(timeout: .now() + 1) == .success)
    }
}

private final class ProbedDependent: Operation, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds is constant.
    private let probe: LockProbe
    private let operation: URLConnectionOperation

    init(_ probe: LockProbe, of operation: URLConnectionOperation) {
        self.probe = probe
        self.operation = operation
    }

    override var isReady: Bool {
        probe.look(at: operation)
        return super.isReady
    }
}

private final class ProbedOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds has a lock of its own.
    let probe = Locked<LockProbe?>(nil)

    private func look() { probe.withLock { $0 }?.look(at: self) }

    override var isFinished: Bool {
        look()
        return super.isFinished
    }

    override var completionBlock: (@Sendable () -> Void)? {
        get {
            look()
            return super.completionBlock
        }
        set { super.completionBlock = newValue }
    }
}
