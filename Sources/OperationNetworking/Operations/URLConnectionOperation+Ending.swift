import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking

// How an operation ends, and what it lets go of then.

extension URLConnectionOperation {
    /// Ends the operation with an error of the subclass's own; does nothing after the end.
    ///
    /// From any thread: the connection is closed, and the operation finishes on the network thread;
    /// at once when called there, so that nothing the connection still brings can overtake it.
    public func fail(with error: any Error) {
        let (thread, modes) = lock.withLock { (runThread, endingModes) }
        let end = { @Sendable in
            guard self.state == .executing || self.state == .paused else { return }
            self.connection?.cancel()
            self.complete(with: error)
        }
        if thread.isCurrent {
            end()
        } else {
            thread.perform(inModes: modes, end)
        }
    }

    var cancelError: URLError {
        let url = read(\.request).url
        return URLError(.cancelled, userInfo: url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:])
    }

    /// Posts on main; posting later keeps observers out from under the lock.
    func post(
        _ name: Notification.Name?, then: (@Sendable () -> Void)? = nil
    ) {
        guard name != nil || then != nil else { return }
        DispatchQueue.main.recordedAsync {
            if let name {
                NotificationCenter.default.post(name: name, object: self)
            }
            then?()
        }
    }

    /// Keeps the blocks until the matching `completionEnds`.
    func completionBegins() {
        write { $0.completionsUnderWay += 1 }
    }

    /// Drops the blocks after the last completion.
    func completionEnds() {
        let isLast = lock.withLock {
            guarded.completionsUnderWay -= 1
            return guarded.completionsUnderWay == 0
        }
        if isLast { letGo() }
    }

    /// Drops every block, so that nothing of the caller's is kept after the end (wound 15).
    func letGo() {
        let old = lock.withLock {
            let old = (super.completionBlock, guarded.blocks, guarded.deliveryHooks)
            super.completionBlock = nil
            guarded.blocks = Blocks()
            guarded.deliveryHooks = []
            guarded.isDelivered = true
            return old
        }
        old.2.forEach { $0() }
    }
}
