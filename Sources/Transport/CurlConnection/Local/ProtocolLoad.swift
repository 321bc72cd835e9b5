import Foundation
import FoundationNetworking
import Locking

/// A request that is offered to the program's own `URLProtocol` classes, and what the first that takes it says.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around who hears it and what loads. Calls out, without it, on: its serial queue
/// (the classes, which may keep it waiting), and the thread of a class that says something.
final class ProtocolLoad: NSObject, URLProtocolClient {
    enum Event: Sendable {
        /// No class takes the request.
        case declined
        case response(URLResponse)
        case data(Data)
        case redirect(URLRequest, URLResponse)
        case challenge(URLAuthenticationChallenge)
        case end
        case failure(any Error)
    }

    private struct State {
        /// Nil once it was stopped.
        var hear: (@Sendable (Event) -> Void)?
        var loading: URLProtocol?
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "CurlConnection.protocol", qos: .userInitiated)

    /// The name of the class that loads.
    var name: String {
        state.withLock { $0.loading }.map { "\(type(of: $0))" } ?? "A URLProtocol"
    }

    /// Asks the classes in their order, and has the first that takes the request load it.
    ///
    /// - Parameter hear: called with what it says, from any thread, until it is stopped.
    func start(
        _ request: URLRequest, _ classes: [URLProtocol.Type],
        hear: @escaping @Sendable (Event) -> Void
    ) {
        state.withLock { $0.hear = hear }
        queue.async { [self] in
            guard let taker = classes.first(where: { $0.canInit(with: request) }) else {
                return tell(.declined)
            }
            let loading = taker.init(
                request: taker.canonicalRequest(for: request), cachedResponse: nil, client: self)
            let isWanted = state.withLock { state in
                if state.hear != nil { state.loading = loading }
                return state.hear != nil
            }
            if isWanted { loading.startLoading() }
        }
    }

    /// Nothing is heard any more; what loads is told to stop, also after its end, as by Foundation.
    func stop() {
        let hear = state.withLock { $0.hear.take() }
        withExtendedLifetime(hear) {}
        queue.async { [self] in
            state.withLock { $0.loading.take() }?.stopLoading()
        }
    }

    private func tell(_ event: Event) {
        state.withLock { $0.hear }?(event)
    }

    // MARK: What a class says

    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        tell(.redirect(request, redirectResponse))
    }

    func urlProtocol(
        _ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse
    ) {
        tell(.response(cachedResponse.response))
        tell(.data(cachedResponse.data))
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        tell(.response(response))
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { tell(.data(data)) }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { tell(.end) }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        tell(.failure(error))
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        tell(.challenge(challenge))
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}
