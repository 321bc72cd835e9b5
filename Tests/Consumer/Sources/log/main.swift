import Foundation
import LoopbackServer
import OperationNetworking

/// Passes on a line for each request of a manager; the methods of the other moments have defaults.
final class RequestLog: RequestObserver {
    let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (lines, continuation) = AsyncStream.makeStream() }

    func request(
        _ request: ObservedRequest, didEndWith error: (any Error)?, metrics: RequestMetrics?
    ) {
        let status = (request.response as? HTTPURLResponse)?.statusCode ?? 0
        let end = error.map { "\($0)" } ?? "\(status)"
        let sent = request.urlRequest
        continuation.yield("\(sent.httpMethod ?? "") \(sent.url?.path ?? ""): \(end)")
        // metrics has the times: metrics?.taskInterval.duration is the whole, in seconds.
    }
}

let server = LoopbackServer(routes: .served)
try server.start()
let log = RequestLog()
let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
manager.observer = log
_ = try await manager.get("json")
_ = try? await manager.get("status/404")
// The observer has a queue of its own, and may be called after the result has come.
for await line in log.lines.prefix(2) { print(line) }
