import Foundation
import FoundationNetworking
import Locking

/// Loads a request through the first of the caller's `URLProtocol` classes whose `canInit(with:)` returns true.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the handler and the protocol object. Calls out, not under the lock: the
/// classes on the load's serial queue, where they may block; the handler on the thread on which the protocol object calls
/// its client. The handler gets `.declined` on the load's queue, because there is no protocol object then.
final class ProtocolLoad: NSObject, URLProtocolClient {
    enum Event: Sendable {
        /// Each class returned false from `canInit(with:)`.
        case declined
        case response(URLResponse)
        case data(Data)
        case redirect(URLRequest, URLResponse)
        case challenge(URLAuthenticationChallenge)
        case end
        case failure(any Error)
    }

    private struct State {
        /// Nil once the load was stopped.
        var handler: (@Sendable (Event) -> Void)?
        var loading: URLProtocol?
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "CurlConnection.protocol", qos: .userInitiated)

    /// The name of the class that loads the request, for messages.
    var name: String {
        state.withLock { $0.loading }.map { "\(type(of: $0))" } ?? "A URLProtocol"
    }

    /// Finds the class for the request, makes its object and starts that, on the serial queue.
    ///
    /// - Parameter handler: called on any thread, until `stop` is called.
    func start(
        _ request: URLRequest, _ classes: [URLProtocol.Type],
        handler: @escaping @Sendable (Event) -> Void
    ) {
        state.withLock { $0.handler = handler }
        queue.async { [self] in
            guard let type = classes.first(where: { $0.canInit(with: request) }) else {
                return report(.declined)
            }
            let loading = type.init(
                request: type.canonicalRequest(for: request), cachedResponse: nil, client: self)
            let isWanted = state.withLock { state in
                if state.handler != nil { state.loading = loading }
                return state.handler != nil
            }
            if isWanted { loading.startLoading() }
        }
    }

    /// Releases the handler, and calls the protocol object's `stopLoading` on the serial queue.
    ///
    /// Call it also after the load has ended: Foundation calls `stopLoading` then too.
    func stop() {
        let handler = state.withLock { $0.handler.take() }
        withExtendedLifetime(handler) {}
        queue.async { [self] in
            state.withLock { $0.loading.take() }?.stopLoading()
        }
    }

    private func report(_ event: Event) {
        state.withLock { $0.handler }?(event)
    }

    // MARK: URLProtocolClient

    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        report(.redirect(request, redirectResponse))
    }

    func urlProtocol(
        _ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse
    ) {
        report(.response(cachedResponse.response))
        report(.data(cachedResponse.data))
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        report(.response(response))
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { report(.data(data)) }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { report(.end) }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        report(.failure(error))
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        report(.challenge(challenge))
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}
