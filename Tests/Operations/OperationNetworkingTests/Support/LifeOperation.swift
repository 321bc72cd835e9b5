import CurlConnection
import TestSupport

@testable import OperationNetworking

/// An operation that lets a test act when the connection tells something, before the operation
/// itself hears of it.
final class LifeOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds has a lock of its own.
    enum Moment: CaseIterable {
        case head, data, loaded, failed
    }

    private let actions = Locked<[Moment: @Sendable () -> Void]>([:])

    func at(_ moment: Moment, _ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0[moment] = action }
    }

    private func reach(_ moment: Moment) {
        let action = actions.withLock { $0.removeValue(forKey: moment) }
        action?()
    }

    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        reach(.head)
        super.connection(connection, didReceive: response)
    }

    override func connection(_ connection: URLConnection, didReceive data: Data) {
        reach(.data)
        super.connection(connection, didReceive: data)
    }

    override func connectionDidFinishLoading(_ connection: URLConnection) {
        reach(.loaded)
        super.connectionDidFinishLoading(connection)
    }

    override func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        reach(.failed)
        super.connection(connection, didFailWithError: error)
    }
}

extension URLConnectionOperation {
    /// Counts its ends; set before it can end.
    func endSignal() -> Signal {
        let signal = Signal()
        completionBlock = { signal.fire() }
        return signal
    }

    /// What a cancelled operation must look like at its end (OP-19).
    func expectCancelled(sourceLocation: SourceLocation = #_sourceLocation) {
        let error = error.map { $0 as NSError }
        #expect(isFinished && isCancelled && !isExecuting, sourceLocation: sourceLocation)
        #expect(error?.domain == NSURLErrorDomain, sourceLocation: sourceLocation)
        #expect(error?.code == -999, sourceLocation: sourceLocation)
        let keys = error?.userInfo.keys.sorted()
        #expect(keys == [NSURLErrorFailingURLErrorKey], sourceLocation: sourceLocation)
        let url = error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        #expect(url == request.url, sourceLocation: sourceLocation)
        #expect(responseData == nil, sourceLocation: sourceLocation)
    }
}
