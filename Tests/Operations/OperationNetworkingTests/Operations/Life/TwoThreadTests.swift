import CurlConnection
import EventRecorder
import Scheduling
import Synchronization
import TestSupport

@testable import OperationNetworking

/// One thread is held between two steps of an operation while another one calls it.
@Suite("Two threads and an operation", .timeLimit(.minutes(2)))
struct TwoThreadTests {
    private let world = TestWorld()
    private let manager = OperationManager()
    private let log = Log<String>()

    private func run(_ name: String, _ block: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            // Its name would be lost where it runs before Foundation has noted it.
            Thread.current.threadDictionary["name"] = name
            block()
        }
    }

    private func waits(_ holds: () -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: patience)
        while !holds(), Date() < limit { sched_yield() }
        return holds()
    }

    /// A paused operation, whose observer holds the thread that announces the resume.
    private func pausedOperation(
        _ isHeld: Signal, until release: DispatchSemaphore
    ) -> LifeOperation {
        let operation = world.operation()
        operation.pause()
        operation.stateObserver = { [log] announcement in
            let isResuming = Thread.current.threadDictionary["name"] as? String == "resumes"
            log.add("\(announcement.keyPath) \(isResuming ? "resumes" : "starts")")
            guard log.all.count == 2 else { return }
            isHeld.fire()
            release.wait()
        }
        return operation
    }

    // MARK: Announcements

    @Test func `a queue's start waits until a resume was announced, and announces itself`() {
        let isHeld = Signal()
        let release = DispatchSemaphore(value: 0)
        let operation = pausedOperation(isHeld, until: release)
        run("resumes") { operation.resume() }
        #expect(isHeld.blocks(until: 1))
        manager.enqueue(operation)
        #expect(
            waits {
                operation.lock.withLock { operation.guarded.outbox.starts.count } == 1
            })
        #expect(operation.state == .ready && log.all.count == 2)
        release.signal()
        #expect(waits { operation.isFinished } && operation.error == nil)
        #expect(
            log.all.prefix(4) == [
                "isPaused resumes", "isReady resumes", "isReady starts", "isExecuting starts",
            ])
    }

    @Test func `a caller's start, on the network thread, does not wait for an announcement`() {
        let (isHeld, hasStarted) = (Signal(), Signal())
        let release = DispatchSemaphore(value: 0)
        let operation = pausedOperation(isHeld, until: release)
        run("resumes") { operation.resume() }
        #expect(isHeld.blocks(until: 1))
        world.thread.perform(inModes: [.common]) {
            operation.start()
            hasStarted.fire()
        }
        #expect(hasStarted.blocks(until: 1))
        #expect(operation.isExecuting && log.all.count == 2)
        release.signal()
        #expect(waits { operation.isFinished } && operation.error == nil)
        #expect(log.all[2..<4] == ["isReady resumes", "isExecuting resumes"])
    }

    @Test func `two queue threads start each other's operation in an announcement`() {
        let queue = OperationQueue()
        let operations = [world.operation(), world.operation()]
        let (areAnnouncing, haveStarted) = (Signal(), Signal())
        for (own, other) in [(0, 1), (1, 0)] {
            operations[own].stateObserver = { announcement in
                guard announcement.keyPath == "isPaused", announcement.isTrue else { return }
                areAnnouncing.fire()
                _ = areAnnouncing.blocks(until: 2)
                operations[other].start()
                haveStarted.fire()
            }
            queue.addOperation { operations[own].pause() }
        }
        #expect(haveStarted.blocks(until: 2))
        for operation in operations { operation.resume() }
        #expect(waits { operations.allSatisfy(\.isFinished) })
    }

    // MARK: Between two steps of a queue

    @Test
    func `a start that a caller's queue has dispatched counts, whatever it depends on by then`() {
        let threads = DispatchQueue(label: "threads")
        let queue = OperationQueue()
        queue.underlyingQueue = threads
        threads.suspend()
        let operation = world.operation()
        queue.addOperation(operation)
        let dependency = BlockOperation()
        operation.addDependency(dependency)
        threads.resume()
        #expect(waits { operation.isFinished } && operation.error == nil)
        dependency.start()
    }

    @Test @MainActor func `so does one that the main queue has dispatched`() async {
        let operation = world.operation()
        OperationQueue.main.addOperation(operation)
        let dependency = BlockOperation()
        operation.addDependency(dependency)
        await onNewThread { [self] in
            #expect(waits { operation.isFinished } && operation.error == nil)
        }
        dependency.start()
    }

    @Test func `a priority that is set while an operation enters a queue counts`() throws {
        manager.setSuspended(true, group: "one")
        let operation = RisingOperation(request: world.request("/ok"))
        manager.enqueue(operation, group: "one")
        let admission = try #require(operation.currentAdmission)
        #expect(operation.queuePriority == .veryHigh && admission.priority == .veryHigh)
        operation.cancel()
        #expect(waits { operation.isFinished })
    }

    // MARK: A dependency that ends while it is added

    @Test func `an operation that waits requests its slot again`() throws {
        manager.setSuspended(true, group: "one")
        let operation = world.operation()
        manager.enqueue(operation, group: "one")
        #expect(waits { operation.state == nil })
        let admission = try #require(operation.currentAdmission)
        #expect(admission.limiter.hold(admission) == .groupSuspended)
        let dependency = BlockOperation()
        let isAdded = Signal()
        let points = try StopPoints()
        let stop = points.stop(at: StopSite(.lockWait, .begin, of: operation.number))
        operation.lock.withLock {
            run("adds") {
                operation.addDependency(dependency)
                isAdded.fire()
            }
            #expect(stop.isReached())
        }
        // It is about to withdraw the request.
        dependency.start()
        stop.letGo()
        #expect(isAdded.blocks(until: 1))
        points.end()
        #expect(admission.limiter.hold(admission) == .groupSuspended)
        manager.setSuspended(false, group: "one")
        #expect(waits { operation.isFinished } && operation.error == nil)
    }

    @Test func `a download that waits requests its slot again`() throws {
        manager.setSuspended(true, group: "one")
        let download = FileDownloadOperation(
            world.request("/ok"), to: world.file("one"), options: .once)
        download.addOnce(
            to: manager.operationQueue, limiter: nil,
            QueueMember(group: "one", manager: manager.number))
        let admission = try #require(download.currentAdmission)
        for round in 0..<300 {
            let dependency = BlockOperation()
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                if number == 0 { return download.addDependency(dependency) }
                for _ in 0..<(round % 30) * 20 { _ = dependency.isReady }
                dependency.start()
            }
            guard waits({ admission.limiter.hold(admission) == .groupSuspended }) else {
                Issue.record("It waits for nothing in round \(round).")
                break
            }
        }
        download.cancel()
        #expect(waits { download.isFinished })
    }
}

/// Its priority rises just after it was read for the first time.
private final class RisingOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; the atomic guards itself.
    private let wasRead = Atomic<Bool>(false)

    override var queuePriority: QueuePriority {
        get {
            let priority = super.queuePriority
            if !wasRead.exchange(true, ordering: .relaxed) { self.queuePriority = .veryHigh }
            return priority
        }
        set { super.queuePriority = newValue }
    }
}
