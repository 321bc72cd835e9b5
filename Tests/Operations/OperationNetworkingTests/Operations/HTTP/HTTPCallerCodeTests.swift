import CurlConnection
import TestSupport

@testable import OperationNetworking

/// What a caller gives away may do anything when it goes; no lock is held then (wound 55).
@Suite("What a caller gave away", .timeLimit(.minutes(5)))
struct HTTPCallerCodeTests {
    private let world = TestWorld()
    private let end = Signal()

    /// Asks the operation something from another thread when it goes, and waits for the answer.
    private final class Asking: Sendable {
        private let operation: HTTPRequestOperation
        private let free: Log<Bool>
        private let gone: Signal

        init(_ operation: HTTPRequestOperation, _ free: Log<Bool>, _ gone: Signal) {
            self.operation = operation
            self.free = free
            self.gone = gone
        }

        deinit {
            let answered = DispatchSemaphore(value: 0)
            let (operation, free, gone) = (operation, free, gone)
            Thread.detachNewThread {
                _ = (operation.description, operation.responseSerializer)
                answered.signal()
            }
            free.add(answered.wait(timeout: .now() + 5) == .success)
            gone.fire()
        }

        func touch() {}
    }

    private final class AskingStream: InputStream {
        private let asking: Asking

        init(_ asking: Asking) {
            self.asking = asking
            super.init(data: Data())
        }
    }

    @Test func `blocks and values that are replaced go under no lock`() async {
        let operation = world.httpOperation()
        let (free, gone) = (Log<Bool>(), Signal())
        func asking() -> Asking { Asking(operation, free, gone) }
        do {
            let asking = asking()
            operation.setDownloadProgressBlock { _, _, _ in asking.touch() }
        }
        operation.setDownloadProgressBlock(nil)
        do {
            let asking = asking()
            operation.setRedirectResponseBlock { _, request, _ in
                asking.touch()
                return request
            }
        }
        operation.setRedirectResponseBlock(nil)
        operation.userInfo = ["a": asking()]
        operation.userInfo = [:]
        do {
            let asking = asking()
            operation.completionBlock = { asking.touch() }
        }
        operation.completionBlock = nil
        do {
            let asking = asking()
            operation.setCompletionBlock(success: { _, _ in asking.touch() }, failure: nil)
        }
        operation.setCompletionBlock(success: nil, failure: nil)
        do {
            let asking = asking()
            operation.inputStream = AskingStream(asking)
        }
        operation.inputStream = nil
        await gone.wait(for: 6, "all six")
        #expect(free.all == Array(repeating: true, count: 6))
    }

    @Test func `a completion block that is replaced is released without the lock`() async {
        let operation = world.httpOperation()
        let (free, gone) = (Log<Bool>(), Signal())
        do {
            let asking = Asking(operation, free, gone)
            operation.completionBlock = { asking.touch() }
        }
        operation.setCompletionBlock(success: nil, failure: nil)
        await gone.wait(for: 1, "the block")
        #expect(free.all == [true])
        #expect(operation.lock.withLock { operation.guarded.machine.owesResult })
    }

    /// Ends when a block is set.
    private final class EndingOperation: HTTPRequestOperation, @unchecked Sendable {
        // @unchecked because it restates the superclass.
        override var completionBlock: (@Sendable () -> Void)? {
            get { super.completionBlock }
            set {
                super.completionBlock = newValue
                start()
                let limit = Date(timeIntervalSinceNow: patience)
                while !isFinished, Date() < limit { sched_yield() }
            }
        }
    }

    @Test func `a success is called though setting a completion block ends the operation`() async {
        let operation = EndingOperation(request: world.request("/ok"))
        let called = Signal()
        operation.setCompletionBlock(success: { _, _ in called.fire() }, failure: nil)
        operation.start()
        await called.wait(for: 1, "the success")
    }

    @Test func `blocks that are dropped at the end go under no lock`() async {
        let operation = world.httpOperation()
        let (free, gone) = (Log<Bool>(), Signal())
        do {
            let asking = Asking(operation, free, gone)
            operation.setDownloadProgressBlock { _, _, _ in asking.touch() }
        }
        do {
            let asking = Asking(operation, free, gone)
            operation.completionBlock = { asking.touch() }
        }
        operation.start()
        await gone.wait(for: 2, "both blocks")
        #expect(free.all == [true, true])
    }

    @Test func `a serializer that is replaced goes under no lock`() async {
        let operation = world.httpOperation()
        let (free, gone) = (Log<Bool>(), Signal())
        do {
            let held = HeldSerializer()
            let asking = Asking(operation, free, gone)
            held.inside.withLock { $0 = { asking.touch() } }
            operation.responseSerializer = held
        }
        operation.responseSerializer = HTTPResponseSerializer()
        await gone.wait(for: 1, "the serializer")
        #expect(free.all == [true])
    }

    @Test func `a setting of a manager that is replaced goes under no lock`() async {
        let manager = HTTPRequestOperationManager()
        let (free, gone) = (Log<Bool>(), Signal())
        do {
            let held = HeldSerializer()
            let last = AtEnd {
                let answered = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    _ = manager.responseSerializer
                    answered.signal()
                }
                free.add(answered.wait(timeout: .now() + 5) == .success)
                gone.fire()
            }
            held.inside.withLock { $0 = { last.touch() } }
            manager.responseSerializer = held
        }
        manager.responseSerializer = HTTPResponseSerializer()
        await gone.wait(for: 1, "the serializer")
        #expect(free.all == [true])
    }

    /// A caller's, which asks its manager as it goes.
    private final class Queue: OperationQueue, @unchecked Sendable {
        // @unchecked because it restates the superclass; what it adds is constant.
        let asking: AskingAtEnd

        init(_ asking: AskingAtEnd) { self.asking = asking }
    }

    @Test func `a queue of a manager that is replaced goes under no lock`() async {
        let manager = OperationManager()
        let answers = Log<Bool>()
        await onNewThread {
            manager.operationQueue = Queue(AskingAtEnd(answers) { _ = manager.operationQueue })
            manager.operationQueue = OperationQueue()
        }
        #expect(answers.all == [true])
    }

    /// Makes an object that asks for the error of its response as it goes.
    private final class AskingSerializer: HTTPResponseSerializer, @unchecked Sendable {
        // @unchecked because it restates the superclass; what it adds guards itself.
        let objects = Locked<[AskingAtEnd]>([])

        override func responseObject(
            for response: URLResponse?, data: Data?
        ) -> SerializedResponse {
            SerializedResponse(object: objects.withLock { $0.popLast() }, error: nil)
        }
    }

    @Test func `an object that a later one takes the place of goes under no lock`() async {
        let answers = Log<Bool>()
        await onNewThread {
            let serializer = AskingSerializer()
            let response = LazySerializedResponse(serializer)
            serializer.objects.withLock {
                $0 = [AskingAtEnd(answers) { _ = response.error }]
            }
            response.withConsistentError {
                _ = response.object(of: nil, nil)
                response.serializer = HTTPResponseSerializer()
                _ = response.object(of: nil, Data())
            }
        }
        #expect(answers.all == [true])
    }

    private final class AtEnd: Sendable {
        private let action: @Sendable () -> Void

        init(_ action: @escaping @Sendable () -> Void) { self.action = action }

        deinit { action() }

        func touch() {}
    }
}
