import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking

// How an operation ends, and what it lets go of then.

extension URLConnectionOperation {
    /// Ends the operation with an error of the subclass's own; does nothing after the end.
    ///
    /// From any thread: the connection is closed, and the operation finishes on the network thread;
    /// at once when called there, so that nothing the connection still delivers can overtake it.
    public func fail(with error: any Error) {
        let (thread, modes) = lock.withLock { (runThread, guarded.settings.runLoopModes) }
        let end = { @Sendable in
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
        let (completion, isOurs) = lock.withLock { (guarded.completion, guarded.isCompletionOurs) }
        guard let block = completion else { return nil }
        return { @Sendable [weak self] in
            guard let self else { return CompletionDelivery.deliver(block, to: .init()) {} }
            self.lock.withLock { self.handOver(block, isOurs: isOurs) }
        }
    }

    /// Brings the caller's completion block to its queue. The lock is held.
    ///
    /// The block of success and failure is the package's own and goes to a processing thread first.
    func handOver(
        _ completion: @escaping @Sendable () -> Void, isOurs: Bool,
        named name: EventText = .completion
    ) {
        if isOurs { return completion() }
        guarded.completionsUnderWay += 1
        let tell = { @Sendable in
            self.callsBack()
            completion()
        }
        CompletionDelivery.deliver(
            tell, to: guarded.completionTarget, of: number, named: name,
            by: (runThread, guarded.settings.runLoopModes)
        ) {
            self.completionEnds()
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
        let held: Held = (guarded.completion, guarded.sharedBlocks, guarded.deliveryHooks)
        guarded.completion = nil
        let blocks = guarded.blocks
        guarded.sharedBlocks = blocks.haveDecisions ? Shared(blocks.decisions) : Blocks.none
        guarded.deliveryHooks = []
        guarded.isDelivered = true
        return held
    }

    private typealias Held = (
        completion: (@Sendable () -> Void)?, blocks: Shared<Blocks>, hooks: [@Sendable () -> Void]
    )
}
