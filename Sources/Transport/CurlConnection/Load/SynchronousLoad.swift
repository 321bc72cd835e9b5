public import Foundation
public import FoundationNetworking
import HTTPSemantics

extension URLConnection {
    /// Loads a request and waits for the end, in a run-loop mode of its own on this thread.
    ///
    /// - Returns: the whole decoded body and the response.
    /// - Throws: the `URLError` that a delegate would have got.
    public static func sendSynchronousRequest(_ request: URLRequest) throws -> (Data, URLResponse) {
        let mode = RunLoop.Mode("CurlConnection.synchronous")
        let collector = Collector()
        let connection = URLConnection(
            request: request, delegate: collector, startImmediately: false)
        connection.schedule(in: .current, forMode: mode)
        connection.start()
        // This mode does not run between two calls, so kept connections would not be closed in time.
        defer { TransportTable.closeIdleConnections { $0.key.modes == [mode] } }
        while collector.result == nil {
            guard RunLoop.current.run(mode: mode, before: .distantFuture) else {
                connection.cancel()
                throw URLError(.resourceUnavailable, url: request.url)
            }
        }
        return try collector.response(to: request)
    }
}

/// Collects the response of one load.
///
/// ## Concurrency
/// Call from: the thread that waits. Lock: none.
private final class Collector: URLConnectionDelegate {
    var result: Result<Void, any Error>?
    private var response: URLResponse?
    private var data = Data()

    func response(to request: URLRequest) throws -> (Data, URLResponse) {
        try result?.get()
        guard let response else {
            throw URLError(.badServerResponse, url: request.url)
        }
        return (data, response)
    }

    func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        self.response = response
    }

    func connection(_ connection: URLConnection, didReceive data: Data) {
        let limit = connection.configuration.limits.bodyInMemory
        guard Int64(self.data.count) + Int64(data.count) <= limit else {
            connection.cancel()
            let error = LoadLimitError(.bodyInMemory, limit)
            result = .failure(error.urlError(connection.currentRequest.url))
            return
        }
        self.data.append(data)
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        result = .success(())
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        result = .failure(error)
    }
}
