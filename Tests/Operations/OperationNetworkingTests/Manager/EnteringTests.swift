import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A queue asks an operation whether it is ready, and then keeps the answer: what changes in between
/// must not be lost. And it is not added under its lock, for the thread that starts it needs that.
@Suite("Entering a queue", .timeLimit(.minutes(5)))
struct EnteringTests {
    private let world = TestWorld()
    private let manager = OperationManager()

    /// What another thread does before the answer is found, and before the queue hears it.
    enum Change: CaseIterable {
        case resume, cancel, endOfDependency, pauseAndResume
    }

    /// One is before the queue's own, the other is the queue's.
    static let questions = 1...2

    @Test(arguments: Change.allCases, questions)
    func `what makes it ready while it is added starts it`(
        _ change: Change, atQuestion question: Int
    ) async {
        let operation = world.asked()
        let other = BlockOperation {}
        var before: (@Sendable () -> Void)?
        let after: @Sendable () -> Void
        switch change {
        case .resume:
            operation.pause()
            after = { operation.resume() }
        case .cancel:
            operation.addDependency(other)
            after = { operation.cancel() }
        case .endOfDependency:
            operation.addDependency(other)
            after = { other.start() }
        case .pauseAndResume:
            before = { operation.pause() }
            after = { operation.resume() }
        }
        let end = operation.endSignal()
        await enter(operation, question, before, after)
        await end.wait(for: 1, "the end after \(change) at question \(question)")
        let code = (operation.error as? URLError)?.code
        #expect(code == (change == .cancel ? .cancelled : nil))
    }

    @Test(arguments: [true, false], questions)
    func `what is paused while it is added waits for its resume`(
        isBeforeAnswer: Bool, atQuestion question: Int
    ) async {
        let operation = world.asked()
        let end = operation.endSignal()
        let pause: @Sendable () -> Void = { operation.pause() }
        await enter(
            operation, question, isBeforeAnswer ? pause : nil, isBeforeAnswer ? nil : pause)
        await world.settle()
        #expect(operation.isPaused && end.count == 0 && world.server.requests.isEmpty)
        operation.resume()
        await end.wait()
        #expect(operation.error == nil && world.server.requests.count == 1)
    }

    private func enter(
        _ operation: AskedOperation, _ question: Int, _ before: (@Sendable () -> Void)?,
        _ after: (@Sendable () -> Void)?
    ) async {
        await onNewThread { [manager] in
            operation.onQuestion(question, before: before, after: after)
            manager.enqueue(operation)
        }
        #expect(operation.wasAsked)
    }
}

/// An operation whose state another thread changes while one thread asks whether it is ready.
private final class AskedOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds has a lock of its own.
    private struct Question {
        let asker: ObjectIdentifier
        /// How many are to come, this one included; 0 after it.
        var number: Int
        let before: (@Sendable () -> Void)?
        let after: (@Sendable () -> Void)?
    }

    private let question = Locked<Question?>(nil)

    /// Changes it when this thread asks for so many times, from 1.
    func onQuestion(
        _ number: Int, before: (@Sendable () -> Void)?, after: (@Sendable () -> Void)?
    ) {
        question.withLock {
            $0 = Question(asker: .thisThread, number: number, before: before, after: after)
        }
    }

    /// Whether it was asked so often.
    var wasAsked: Bool { question.withLock { $0?.number == 0 } }

    override var isReady: Bool {
        let due: Question? = question.withLock { question in
            guard question?.asker == .thisThread, question?.number != 0 else { return nil }
            question?.number -= 1
            return question?.number == 0 ? question : nil
        }
        due?.before.map(TestWorld.elsewhere)
        let answer = super.isReady
        due?.after.map(TestWorld.elsewhere)
        return answer
    }
}

extension ObjectIdentifier {
    fileprivate static var thisThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}

extension TestWorld {
    fileprivate func asked() -> AskedOperation {
        let operation = AskedOperation(request: request("/ok"))
        operation.networkThread = thread
        return operation
    }

    /// Has another thread do something, and waits for it.
    fileprivate static func elsewhere(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            done.signal()
        }
        if done.wait(timeout: .now() + patience) != .success {
            Issue.record("Another thread could not change the operation while it was added.")
        }
    }
}
