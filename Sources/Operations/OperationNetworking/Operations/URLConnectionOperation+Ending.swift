import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking

// How an operation ends, and what it lets go of then.

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
            guard self.state == .executing || self.state == .paused else { return }
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
            guard state == .paused, !guarded.circumstances.wasStarted else { return }
            isKept = true
            guarded.failureBeforeStart = failure
            guarded.circumstances.hasFailed = true
            currentAdmission?.needsNoPlace()
            apply(.resume)
        }
        return isKept
    }

    var cancelError: URLError {
        let url = read(\.request).url
        return URLError(
            .cancelled, described: url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:])
    }

    /// Posts on main, later, so that no observer runs under the lock, which is held.
    func post(
        _ name: Notification.Name?, then: (@Sendable () -> Void)? = nil
    ) {
        guard name != nil || then != nil else { return }
        runThread.tell(on: CallbackBatch.main, inModes: guarded.settings.runLoopModes) {
            if let name {
                NotificationCenter.default.post(name: name, object: self)
            }
            then?()
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
    func handOver(_ completion: Completion, named name: EventText = .completion) {
        let block: @Sendable () -> Void
        switch completion {
        case .result(let tell): return tell(self)
        case .block(let callers): block = callers
        }
        guarded.completionsUnderWay += 1
        let tell = { @Sendable in
            self.callsBack()
            block()
        }
        let sender = (thread: runThread, modes: guarded.settings.runLoopModes)
        let target = guarded.completionTarget
        let deliver = { @Sendable in
            CompletionDelivery.deliver(tell, to: target, of: self.number, named: name, by: sender) {
                self.completionEnds()
            }
        }
        if let line = guarded.resultOrder.line {
            sender.thread.tell(on: line, group: target.group, inModes: sender.modes, deliver)
        } else {
            deliver()
        }
    }

    /// Keeps the blocks until the matching `completionEnds`, and says where they go.
    func completionBegins() -> CompletionDelivery.Target {
        lock.withLock {
            guarded.completionsUnderWay += 1
            return guarded.completionTarget
        }
    }

    /// Drops the blocks that only report after the last completion.
    func completionEnds() {
        let held: Held? = lock.withLock {
            guarded.completionsUnderWay -= 1
            return guarded.completionsUnderWay == 0 ? takeHeld() : nil
        }
        held?.hooks.forEach { $0() }
    }

    /// Drops every block that only reports (wound 15); those that decide are for copies too.
    func letGo() {
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
        guarded.isDelivered = true
        return held
    }

    /// No tuple: blocks in one are wrapped again where it passes through a generic function.
    private struct Held {
        let completion: Completion?
        let blocks: Shared<Blocks>
        let hooks: [@Sendable () -> Void]
    }
}
