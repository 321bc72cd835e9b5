import CurlConnection
import EventRecorder
public import Foundation
import FoundationNetworking
import Synchronization

// What follows from an event: announcements in order, jobs for the network thread, the completion, and
// what is released then. `OperationMachine` decides it; here it is done, under the lock but where it says so.

extension Notification.Name {
    /// Posted on the main queue when an operation's run has begun; the object is the operation.
    public static let networkingOperationDidStart = Notification.Name(
        "com.alamofire.networking.operation.start")

    /// Posted on the main queue when an operation has finished or was paused while executing.
    public static let networkingOperationDidFinish = Notification.Name(
        "com.alamofire.networking.operation.finish")
}

extension OperationMachine.Notification {
    fileprivate var name: Notification.Name {
        switch self {
        case .didStart: .networkingOperationDidStart
        case .didFinish: .networkingOperationDidFinish
        }
    }
}

/// One change of one key path, as key-value observing would report it.
package struct StateAnnouncement: Hashable, Sendable {
    package var keyPath: String
    package var isTrue: Bool
}

/// What Foundation and others read of an operation's state without its lock, and whether somebody asks if
/// it is ready. A queue that it is in does, and nothing else is seen of a queue of the caller's own.
///
/// Foundation also asks inside each announcement of a change, where a dependency is added or taken away,
/// and inside `cancel`, in a queue or not; that does not count. A queue asks more than once, so none is
/// missed for long.
///
/// ## Concurrency
/// Call from: any thread; `become` under the operation's lock. Lock: none; three atomics.
struct VisibleState: ~Copyable {
    private let number = Atomic<UInt32>(CountedKey(.ready).number)
    private let announcements = Atomic<Int32>(0)
    private let haveAsked = Atomic<Bool>(false)

    var counted: CountedKey { CountedKey(number: number.load(ordering: .acquiring)) }

    /// Before another thread has the operation.
    func begin(_ key: OperationMachine.Key?) {
        number.store(CountedKey(key).number, ordering: .releasing)
    }

    func become(_ key: OperationMachine.Key?) {
        let last = CountedKey(number: number.load(ordering: .relaxed))
        number.store(last.next(key).number, ordering: .releasing)
    }

    /// Whether somebody has asked by himself.
    var isAskedFor: Bool { haveAsked.load(ordering: .acquiring) }

    /// Somebody asks.
    func noteAsked() {
        if announcements.load(ordering: .acquiring) == 0 {
            haveAsked.store(true, ordering: .releasing)
        }
    }

    /// Announces a change.
    func announcing(_ announce: () -> Void) {
        announcements.add(1, ordering: .acquiringAndReleasing)
        announce()
        announcements.subtract(1, ordering: .acquiringAndReleasing)
    }
}

// MARK: - Actions

extension URLConnectionOperation {
    /// Nil while it waits for its place.
    var state: OperationMachine.Key? { visible.counted.key }

    /// Acts under the lock. The network thread is woken after it, because it would wait for the lock.
    func act(_ action: () -> Void) {
        let thread = lock.withLock {
            action()
            defer { guarded.threadToWake = nil }
            return guarded.threadToWake
        }
        thread?.wakeUp()
    }

    /// Carries out what an event gave. The lock is held.
    func perform(_ actions: OperationMachine.Actions) {
        // Before an announcement, inside which it may be asked for again.
        if actions.place == .withdraw { currentAdmission?.withdraw() }
        if actions.end == nil {
            post(actions.notification)
        } else {
            reportMissed()
        }
        if let move = actions.move {
            announce(move, actions.job)
            if actions.goesOn { perform(guarded.machine.goOn(hasPlace: mayRun)) }
            keepItself()
        } else {
            handOn(actions.job)
        }
        if actions.makesObject { makeObjectThenFinish() }
        if actions.end != nil {
            notifyObserverOfEnd()
            bringCompletion(behind: actions.notification)
            currentAdmission?.leave()
        }
        switch actions.place {
        case .ask: askForPlace()
        case .take: currentAdmission?.begin()
        case .withdraw, nil: break
        }
    }

    /// One that waits for another, which was added late, asks once that has ended.
    private func askForPlace() {
        let machine = guarded.machine
        guard machine.mayAsk, machine.hasRun || areDependenciesDone,
            currentAdmission?.ask() == true
        else { return }
        perform(guarded.machine.placeGiven())
    }

    /// The job goes out before the new key is announced, so that a cancel made inside the announcement is
    /// queued behind what it cancels.
    private func announce(_ move: OperationMachine.Move, _ job: OperationMachine.Job?) {
        if let key = move.new { willChangeValue(forKey: key.keyPath) }
        if let key = move.old { willChangeValue(forKey: key.keyPath) }
        visible.become(move.new)
        note(move.old, to: move.new)
        noteTime(of: move.new)
        handOn(job)
        if move.new == .finished {
            guarded.finishHooks.forEach { $0() }
            guarded.finishHooks = []
        }
        changed(move.old)
        changed(move.new)
    }

    /// Announces the current value, as the getter gives it.
    private func changed(_ key: OperationMachine.Key?) {
        guard let key else { return }
        guarded.stateObserver?(StateAnnouncement(keyPath: key.keyPath, isTrue: state == key))
        visible.announcing { didChangeValue(forKey: key.keyPath) }
    }

    /// Keeps a paused operation alive whose success or failure has not been called, also where its
    /// caller keeps no reference: the original's block held it until it had run (wound 12). The lock is
    /// held.
    func keepItself() {
        let mustKeep = guarded.machine.keepsItself
        if mustKeep != (guarded.itself != nil) {
            guarded.itself = mustKeep ? self : nil
        }
    }

    /// The lock is held.
    func setOwesResult(_ owesResult: Bool) {
        guarded.machine.owesResult = owesResult
        keepItself()
    }

    private func handOn(_ job: OperationMachine.Job?) {
        switch job {
        case nil:
            break
        case .begin(let run):
            currentAdmission?.begin()
            enqueue { self.begin(run) }
        case .interrupt(let run):
            enqueue { self.interrupt(run) }
        case .abort:
            enqueue { self.abort() }
        }
    }

    /// Enqueues a job after all jobs handed on before. The modes are the connection's: outside them the
    /// connection makes no progress, but the operation can end.
    private func enqueue(_ job: @escaping @Sendable () -> Void) {
        let thread = runThread
        if thread.enqueue(alsoIn: guarded.settings.runLoopModes, job) {
            guarded.threadToWake = thread
        }
    }

    /// One thread for all runs, whatever is set after the first start.
    var runThread: NetworkThread { guarded.runThread ?? guarded.settings.networkThread }

    /// Posts on main, later, so that no observer runs under the lock, which is held.
    private func post(
        _ notification: OperationMachine.Notification?, then: (@Sendable () -> Void)? = nil
    ) {
        guard notification != nil || then != nil else { return }
        runThread.tell(on: CallbackBatch.main, inModes: guarded.settings.runLoopModes) {
            if let notification {
                NotificationCenter.default.post(name: notification.name, object: self)
            }
            then?()
        }
    }

    /// Has a dependent operation find the object: the end is announced when it was made. Any other end that
    /// comes meanwhile, as by a cancel, counts.
    private func makeObjectThenFinish() {
        let (thread, modes) = (runThread, guarded.settings.runLoopModes)
        let make = { @Sendable in
            self.makeObject()
            let end = { @Sendable in self.lock.withLock { self.finishWithObject() } }
            if thread.enqueue(alsoIn: modes, end) { thread.wakeUp() }
        }
        if let queue = guarded.resultOrder.queue {
            thread.tell(on: queue, inModes: modes, make)
        } else {
            thread.process(inModes: modes, make)
        }
    }

    private func finishWithObject() {
        let actions = guarded.machine.objectMade()
        if actions.end == .cancelled { result = OperationResult(error: cancelError) }
        perform(actions)
    }
}

// MARK: - Failure of a subclass's own

extension URLConnectionOperation {
    /// Ends the operation with an error of the subclass's own; does nothing after the end.
    ///
    /// From any thread: the connection is closed, and the operation finishes on the network thread;
    /// at once when called there, so that nothing the connection still delivers can overtake it. One that was
    /// paused before it was started is resumed, and finishes when it is started, which a queue does by itself.
    public func fail(with error: any Error) {
        let (thread, modes) = lock.withLock { (runThread, guarded.settings.runLoopModes) }
        let end = { @Sendable in
            if self.keeps(error) { return }
            if self.state == .ready || self.state == .finished { return }
            self.connection?.cancel()
            self.complete(with: error)
        }
        if thread.isCurrent {
            end()
        } else if thread.enqueue(alsoIn: modes, end) {
            thread.wakeUp()
        }
    }

    /// Keeps the failure of one that nobody has started: a queue must not see an operation finish that it
    /// has not started, because it would follow a pointer to it later.
    private func keeps(_ failure: any Error) -> Bool {
        var isKept = false
        act {
            guard let actions = guarded.machine.failBeforeStart() else { return }
            isKept = true
            guarded.failureBeforeStart = failure
            perform(actions)
        }
        return isKept
    }

    var cancelError: URLError {
        let url = read(\.request).url
        return URLError(
            .cancelled, described: url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:])
    }
}

// MARK: - Completion

extension URLConnectionOperation {
    private func bringCompletion(behind notification: OperationMachine.Notification?) {
        if let completion = guarded.completion {
            post(notification)
            handOver(completion)
        } else if guarded.blocks.metrics != nil {
            post(notification)
            handOver(.block({}), named: .metrics)
        } else {
            post(notification) { self.letGo() }
        }
    }

    func setCompletion(_ block: (@Sendable () -> Void)?) {
        write {
            let old = $0.completion
            // After the end it would never run, and be kept for ever.
            $0.completion = state == .finished ? nil : block.map(Completion.block)
            $0.machine.owesResult = false
            let itself = $0.itself
            $0.itself = nil
            return (old, itself)
        }
    }

    /// A block that brings the caller's completion block to its queue; nil where there is none.
    func completionDelivery() -> (@Sendable () -> Void)? {
        guard let completion = lock.withLock({ guarded.completion }) else { return nil }
        return { @Sendable [weak self] in
            if let self { return self.lock.withLock { self.handOver(completion) } }
            guard case .block(let block) = completion else { return }
            CompletionDelivery.deliver(block, to: .init()) {}
        }
    }

    /// Brings the caller's completion block to its queue. The lock is held.
    ///
    /// Success and failure go to a processing thread first.
    private func handOver(_ completion: Completion, named name: EventText = .completion) {
        let callers: @Sendable () -> Void
        switch completion {
        case .result(let deliver): return deliver(self)
        case .block(let block): callers = block
        }
        guarded.machine.completionBegins()
        let call = { @Sendable in
            self.callsBack()
            callers()
        }
        let sender = (thread: runThread, modes: guarded.settings.runLoopModes)
        let target = guarded.completionTarget
        let deliver = { @Sendable in
            CompletionDelivery.deliver(call, to: target, of: self.number, named: name, by: sender) {
                self.completionEnds()
            }
        }
        if let queue = guarded.resultOrder.queue {
            sender.thread.tell(on: queue, group: target.group, inModes: sender.modes, deliver)
        } else {
            deliver()
        }
    }

    /// Keeps the blocks until the matching `completionEnds`, and says where they go.
    func completionBegins() -> CompletionDelivery.Target {
        lock.withLock {
            guarded.machine.completionBegins()
            return guarded.completionTarget
        }
    }

    /// Drops the blocks that only report after the last completion.
    func completionEnds() {
        let held: Held? = lock.withLock {
            guarded.machine.completionEnds() ? takeHeld() : nil
        }
        held?.hooks.forEach { $0() }
    }

    /// Drops every block that only reports (wound 15); those that decide are for copies too.
    private func letGo() {
        let held = lock.withLock { takeHeld() }
        held.hooks.forEach { $0() }
    }

    /// What the caller releases after the lock, which is held.
    private func takeHeld() -> Held {
        let held = Held(
            completion: guarded.completion, blocks: guarded.sharedBlocks,
            hooks: guarded.deliveryHooks)
        guarded.completion = nil
        let blocks = guarded.blocks
        guarded.sharedBlocks = blocks.haveDecisions ? Shared(blocks.decisions) : Blocks.none
        guarded.deliveryHooks = []
        guarded.machine.release()
        return held
    }

    /// No tuple: blocks in one are wrapped again where it passes through a generic function.
    private struct Held {
        let completion: Completion?
        let blocks: Shared<Blocks>
        let hooks: [@Sendable () -> Void]
    }
}
