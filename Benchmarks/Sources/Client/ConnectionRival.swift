import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

/// A `URLConnection` by itself on a network thread, without an operation: each that ends begins the next there.
final class ConnectionRival: Rival {
    private let thread = NetworkThread(name: "bench")
    private let request: URLRequest
    private let configuration: URLConnectionConfiguration

    init(_ assignment: Assignment) {
        var request = URLRequest(url: assignment.url)
        if assignment.closes {
            request.setValue("close", forHTTPHeaderField: "Connection")
        }
        self.request = request
        configuration = assignment.isPlain ? URLConnectionConfiguration() : .measured(assignment)
    }

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        if thread.isCurrent { return start(ended) }
        thread.perform(inModes: [.common]) { self.start(ended) }
    }

    private func start(_ ended: @escaping @Sendable (Reply) -> Void) {
        let connection = URLConnection(
            request: request, delegate: Collector(ended), startImmediately: false)
        connection.configuration = configuration
        connection.schedule(in: .current, forMode: .common)
        connection.start()
    }

    func cancelAll() {}

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }
}

/// Keeps the body of one response.
private final class Collector: URLConnectionDelegate {
    private let ended: @Sendable (Reply) -> Void
    private var body = Data()

    init(_ ended: @escaping @Sendable (Reply) -> Void) {
        self.ended = ended
    }

    func connection(_ connection: URLConnection, didReceive data: Data) {
        body.append(data)
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        ended(Reply(isGood: true, byteCount: body.count, body: body))
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        ended(Reply(error))
    }
}
