import CurlConnection
import EventRecorder
public import Foundation
import FoundationNetworking
import Locking
import Synchronization

// Performs the actions of an event: announcements, jobs for the network thread, the completion, and the release of the
// blocks. `OperationMachine` returns them under the lock; here they are performed without it.

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

// MARK: - Actions

extension URLConnectionOperation {
    /// Nil while it waits for its slot.
    var state: OperationMachine.Key? { visible.counted.key }

    /// Sends an event to the machine under the lock, and performs its actions without it, unless another call is doing
    /// that. The getters are right when this returns; an announcement may follow on another thread.
    func send(_ event: () -> OperationMachine.Actions) {
        perform(from: lock.withLock { take(event) })
    }

    /// Sends a start. That of a queue waits while another thread announces an earlier change, as it waited for the
    /// original's lock: a resume is announced before the start. A start in an announcement never waits, since it could
    /// wait for itself, nor does one on the main thread or a network thread.
    func sendStart(_ event: () -> OperationMachine.Actions) {
        while true {
            var first: Outbox.Entry?
            let other = lock.withLock {
                let other = guarded.outbox.otherPerformer(
                    mayWait: Self.callerIsOnQueue && !Outbox.isPerforming.value)
                if other == nil { first = take(event) }
                return other
            }
            guard let other else { return perform(from: first) }
            other.wait()
        }
    }

    /// The lock is held.
    private func take(_ event: () -> OperationMachine.Actions) -> Outbox.Entry? {
        let actions = event()
        if actions == .none { return nil }
        publish(actions)
        return guarded.outbox.add(actions, runThread, guarded.settings.runLoopModes)
    }

    private func perform(from first: Outbox.Entry?) {
        guard let first else { return }
        let wasPerforming = Outbox.isPerforming.set(true)
        defer { _ = Outbox.isPerforming.set(wasPerforming) }
        var earlier: [Outbox.Entry] = []
        var last = first
        while true {
            perform(last)
            var starts: [DispatchSemaphore] = []
            let next = lock.withLock { guarded.outbox.next(&starts) }
            starts.forEach { $0.signal() }
            guard let next else { break }
            if last.actions.job != nil { earlier.append(last) }
            last = next
        }
        // Only now, so that the network thread itself announces what the jobs lead to.
        earlier.forEach(enqueueJob)
        enqueueJob(last)
    }

    private func enqueueJob(_ entry: Outbox.Entry) {
        switch entry.actions.job {
        case .begin(let run):
            entry.thread.enqueue(alsoIn: entry.modes) { self.begin(run) }
        case .abort: entry.thread.enqueue(alsoIn: entry.modes) { self.abort() }
        case .interrupt, nil: break
        }
    }

    /// Stores what the getters return from now on. The lock is held.
    private func publish(_ actions: OperationMachine.Actions) {
        if actions.cancels { visible.cancel() }
        guard let move = actions.move else { return }
        visible.become(move.new)
        note(move.old, to: move.new)
        noteTime(of: move.new)
        retainItselfIfNeeded()
    }

    private func perform(_ entry: Outbox.Entry) {
        HeldLocks.assertNone()
        let actions = entry.actions
        // Before an announcement, in which an observer may have it requested again.
        if actions.slot == .withdraw { currentAdmission?.withdraw() }
        if actions.cancels {
            visible.announcing { super.cancel() }
            notifyStateObserver("isCancelled", true)
        }
        if actions.end == nil { post(actions.notification, by: entry) }
        switch actions.job {
        case .begin: currentAdmission?.begin()
        // Before another thread can enqueue the next run.
        case .interrupt(let run):
            entry.thread.enqueue(alsoIn: entry.modes) { self.interrupt(run) }
        case .abort, nil: break
        }
        if actions.end != nil { takeFinishHooks().forEach { $0() } }
        if let move = actions.move {
            announce(move.old)
            announce(move.new)
        }
        if actions.announcesReady {
            visible.announcing {
                if isReady { didChangeValue(forKey: OperationMachine.Key.ready.keyPath) }
            }
        }
        if actions.restarts { send { guarded.machine.restart(hasSlot: isUnlimited) } }
        if actions.makesObject { makeObjectThenFinish(by: entry) }
        if actions.end != nil {
            notifyObserverOfEnd()
            dispatchCompletion(behind: actions.notification, by: entry)
            currentAdmission?.leave()
        }
        switch actions.slot {
        case .request: requestSlot(entry.withdrawals)
        case .take: currentAdmission?.begin()
        case .withdraw, nil: break
        }
    }

    /// Not while a late dependency has not ended: the slot is requested when it has.
    private func requestSlot(_ withdrawals: UInt32) {
        guard let admission = currentAdmission, read(\.machine.hasRun) || areDependenciesDone,
            admission.ask()
        else { return }
        send {
            guarded.outbox.withdrawals == withdrawals ? guarded.machine.slotGiven() : .none
        }
    }

    /// Announces the current value, as the getter returns it.
    private func announce(_ key: OperationMachine.Key?) {
        guard let key else { return }
        notifyStateObserver(key.keyPath, state == key)
        visible.announcing { didChangeValue(forKey: key.keyPath) }
    }

    private func notifyStateObserver(_ keyPath: String, _ isTrue: Bool) {
        stateObserver?(StateAnnouncement(keyPath: keyPath, isTrue: isTrue))
    }

    private func takeFinishHooks() -> [@Sendable () -> Void] {
        lock.withLock {
            guard let rare = guarded.rare else { return [] }
            defer { rare.finishHooks = [] }
            return rare.finishHooks
        }
    }

    /// Retains a paused operation until its success or failure was called, even if the caller has released it: in the
    /// original its block retained it. The lock is held.
    func retainItselfIfNeeded() {
        let mustRetain = guarded.machine.retainsItself
        if mustRetain {
            guarded.rareValues.itself = self
        } else {
            guarded.rare?.itself = nil
        }
    }

    /// The lock is held.
    func setOwesResult(_ owesResult: Bool) {
        guarded.machine.owesResult = owesResult
        retainItselfIfNeeded()
    }

    /// One thread for all runs, even if another is set after the first start. The lock is held.
    var runThread: NetworkThread { guarded.runThread ?? guarded.settings.networkThread }

    /// The network thread and its modes, which dispatch blocks to other queues.
    var sender: CompletionTarget.Sender {
        lock.withLock { (runThread, guarded.settings.runLoopModes) }
    }

    /// Posts on main, later.
    private func post(
        _ notification: OperationMachine.Notification?, by entry: Outbox.Entry,
        then: (@Sendable () -> Void)? = nil
    ) {
        guard notification != nil || then != nil else { return }
        entry.thread.dispatch(to: CallbackBatch.main, inModes: entry.modes) {
            if let notification {
                NotificationCenter.default.post(name: notification.name, object: self)
            }
            then?()
        }
    }

    /// Makes the object before the end is announced, so that a dependent operation finds it. Another end that comes
    /// meanwhile, as of a cancel, counts.
    private func makeObjectThenFinish(by entry: Outbox.Entry) {
        let (thread, modes) = (entry.thread, entry.modes)
        process(by: (thread, modes)) {
            self.makeObject()
            thread.enqueue(alsoIn: modes) { self.finishWithObject() }
        }
    }

    /// Runs a block in the serializers' pool, or in the order of a manager's `completesInOrder`.
    func process(
        by sender: CompletionTarget.Sender, _ block: @escaping @Sendable () -> Void
    ) {
        if let queue = lock.withLock({ guarded.rare?.resultOrder.queue }) {
            sender.thread.dispatch(to: queue, inModes: sender.modes, block)
        } else {
            sender.thread.process(inModes: sender.modes, block)
        }
    }

    private func finishWithObject() {
        send {
            let actions = guarded.machine.objectMade()
            if actions.end == .cancelled { result = OperationResult(error: guarded.cancelError) }
            if actions.end != nil { reportMissedFirst() }
            return actions
        }
    }
}

// MARK: - Failure of a subclass's own

extension URLConnectionOperation {
    /// Ends the operation with an error of the subclass's own. Does nothing while it is ready to start, or after the
    /// end.
    ///
    /// From any thread: the connection is closed, and the operation finishes on the network thread; at once when called
    /// there, before anything the connection still delivers. An operation that was paused before its start is resumed,
    /// and finishes when it is started; a queue starts it by itself.
    public func fail(with error: any Error) {
        let (thread, modes) = sender
        let end = { @Sendable in
            if self.failsAtStart(with: error) { return }
            if !self.read(\.machine.mayFail) { return }
            self.connection?.cancel()
            self.complete(with: error)
        }
        if thread.isCurrent { end() } else { thread.enqueue(alsoIn: modes, end) }
    }

    /// Stores the failure of an operation that was paused before its start, which then ends it. Foundation's queue
    /// would later use a dangling pointer to an operation that finished before its start.
    private func failsAtStart(with failure: any Error) -> Bool {
        var isStored = false
        send {
            guard let actions = guarded.machine.failBeforeStart() else { return .none }
            isStored = true
            guarded.rareValues.failureBeforeStart = failure
            return actions
        }
        return isStored
    }
}

extension GuardedValues {
    var cancelError: URLError {
        URLError(
            .cancelled, described: request.url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:])
    }
}

// MARK: - Completion

extension URLConnectionOperation {
    private func dispatchCompletion(
        behind notification: OperationMachine.Notification?, by entry: Outbox.Entry
    ) {
        if let completion = read(\.completion) {
            post(notification, by: entry)
            dispatch(completion)
        } else if lock.withLock({ guarded.blocks.metrics != nil }) {
            post(notification, by: entry)
            dispatch(.block({}), named: .metrics)
        } else {
            post(notification, by: entry) { self.releaseBlocks() }
        }
    }

    func setCompletion(_ block: (@Sendable () -> Void)?) {
        write {
            // The old one is dispatched already; a new one would never run, and never be released.
            if state == .finished { return (Completion?.none, Operation?.none) }
            let old = $0.completion
            $0.completion = block.map(Completion.block)
            $0.machine.owesResult = false
            let itself = $0.rare?.itself
            $0.rare?.itself = nil
            return (old, itself)
        }
    }

    /// What the getter of `completionBlock` returns: a block that dispatches the caller's block to its queue.
    func completionDelivery() -> (@Sendable () -> Void)? {
        guard let completion = read(\.completion) else { return nil }
        return { @Sendable [weak self] in
            if let self { return self.dispatch(completion) }
            guard case .block(let block) = completion else { return }
            CompletionTarget().deliver(block)
        }
    }

    /// Dispatches a completion block to its queue; success and failure go to a processing thread first.
    private func dispatch(_ completion: Completion, named name: EventText = .completion) {
        let callers: @Sendable () -> Void
        switch completion {
        case .result(let deliver): return deliver(self)
        case .block(let block): callers = block
        }
        let target = completionBegins()
        let call = { @Sendable in
            self.willCallCompletion()
            callers()
        }
        let sender = sender
        let deliver = { @Sendable in
            target.deliver(call, of: self.number, named: name, by: sender) {
                self.completionEnds()
            }
        }
        if let queue = lock.withLock({ guarded.rare?.resultOrder.queue }) {
            sender.thread.dispatch(to: queue, group: target.group, inModes: sender.modes, deliver)
        } else {
            deliver()
        }
    }

    /// Keeps the blocks until the matching `completionEnds`.
    ///
    /// - Returns: the queue and group of the completion.
    func completionBegins() -> CompletionTarget {
        lock.withLock {
            guarded.machine.completionBegins()
            return guarded.sharedSettings.completionTarget
        }
    }

    /// Releases the blocks after the last completion.
    func completionEnds() {
        let released: ReleasedBlocks? = lock.withLock {
            guarded.machine.completionEnds() ? takeBlocks() : nil
        }
        released?.hooks.forEach { $0() }
    }

    private func releaseBlocks() {
        lock.withLock { takeBlocks() }.hooks.forEach { $0() }
    }

    /// Takes all blocks but those that decide, which a copy needs. The lock is held; the caller releases them after it.
    private func takeBlocks() -> ReleasedBlocks {
        let released = ReleasedBlocks(
            completion: guarded.completion, blocks: guarded.sharedBlocks,
            hooks: guarded.rare?.deliveryHooks ?? [])
        guarded.completion = nil
        let blocks = guarded.blocks
        guarded.sharedBlocks = blocks.haveDecisions ? Shared(blocks.decisions) : Blocks.none
        guarded.rare?.deliveryHooks = []
        guarded.machine.release()
        return released
    }

    /// No tuple: blocks in a tuple are wrapped again where it passes through a generic function.
    private struct ReleasedBlocks {
        let completion: Completion?
        let blocks: Shared<Blocks>
        let hooks: [@Sendable () -> Void]
    }
}
