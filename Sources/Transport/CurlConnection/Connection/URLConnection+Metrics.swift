import Foundation
import FoundationNetworking

// The times of a load.

extension URLConnection {
    /// The times of the load as far as it has come; nil before its first exchange has ended.
    ///
    /// On the thread of the run loop, also after the end and after `cancel`.
    public var metrics: RequestMetrics? {
        measurement.hasResult ? measurement.metrics : nil
    }

    /// An exchange is over: the whole, or one that libcurl follows by another. Also where the transfer is
    /// cancelled, and before its last call.
    func transferDidMeasure(_ transfer: Transfer) {
        measurement.add(transfer.measured, to: currentRequest)
    }

    /// Tells the delegate of the times. A recording does not see the call: most delegates do nothing in it.
    ///
    /// - Returns: whether the last call may follow; the delegate may have cancelled.
    func tellMetrics() -> Bool {
        guard measurement.tells() else { return false }
        delegate?.connection(self, didFinishCollecting: measurement.metrics)
        return !isOver
    }
}
