import EventRecorder
import Foundation
import FoundationNetworking

/// Stands before a connection's delegate while something is recorded, and notes each call.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none. Calls out on: that thread.
final class DelegateTrace: URLConnectionDelegate {
    private let delegate: any URLConnectionDelegate
    private let number: UInt64

    init(_ delegate: any URLConnectionDelegate, of number: UInt64) {
        self.delegate = delegate
        self.number = number
    }

    private func noted<Result>(_ method: EventText, _ call: () -> Result) -> Result {
        EventRecorder.span(.delegateCall, subject: number, text: method) { call() }
    }

    func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest? {
        noted(.willSend) {
            delegate.connection(connection, willSend: request, redirectResponse: redirectResponse)
        }
    }

    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        noted(.challenge) { delegate.connection(connection, willSendRequestFor: challenge) }
    }

    func connectionShouldUseCredentialStorage(_ connection: URLConnection) -> Bool {
        noted(.shouldUseStorage) { delegate.connectionShouldUseCredentialStorage(connection) }
    }

    func connection(_ connection: URLConnection, needNewBodyStream request: URLRequest)
        -> InputStream?
    {
        noted(.needNewBody) { delegate.connection(connection, needNewBodyStream: request) }
    }

    func connection(
        _ connection: URLConnection, didSendBodyData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        noted(.didSend) {
            delegate.connection(
                connection, didSendBodyData: bytesWritten, totalBytesWritten: totalBytesWritten,
                totalBytesExpectedToWrite: totalBytesExpectedToWrite)
        }
    }

    func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        noted(.didReceiveResponse) { delegate.connection(connection, didReceive: response) }
    }

    func connection(_ connection: URLConnection, didReceive data: Data) {
        noted(.didReceiveData) { delegate.connection(connection, didReceive: data) }
    }

    /// Asked so often, and answered so fast, that it would hide the rest.
    func connectionBytesNotConsumed(_ connection: URLConnection) -> Int {
        delegate.connectionBytesNotConsumed(connection)
    }

    func connection(
        _ connection: URLConnection, willCacheResponse cachedResponse: CachedURLResponse
    ) -> CachedURLResponse? {
        noted(.willCache) {
            delegate.connection(connection, willCacheResponse: cachedResponse)
        }
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        noted(.didFinish) { delegate.connectionDidFinishLoading(connection) }
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        noted(.didFail) { delegate.connection(connection, didFailWithError: error) }
    }
}

extension EventText {
    fileprivate static let willSend = EventText("connection(_:willSend:redirectResponse:)")
    fileprivate static let challenge = EventText("connection(_:willSendRequestFor:)")
    fileprivate static let shouldUseStorage = EventText("connectionShouldUseCredentialStorage(_:)")
    fileprivate static let needNewBody = EventText("connection(_:needNewBodyStream:)")
    fileprivate static let didSend = EventText("connection(_:didSendBodyData:…)")
    static let didReceiveResponse = EventText("connection(_:didReceive: response)")
    static let didReceiveData = EventText("connection(_:didReceive: data)")
    fileprivate static let willCache = EventText("connection(_:willCacheResponse:)")
    fileprivate static let didFinish = EventText("connectionDidFinishLoading(_:)")
    fileprivate static let didFail = EventText("connection(_:didFailWithError:)")
}
