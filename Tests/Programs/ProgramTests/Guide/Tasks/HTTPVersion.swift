import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

struct HTTPVersion {
    let manager = OperationManager()

    func look(
        at urls: [URL], policy: SecurityPolicy, _ tell: @escaping @Sendable (String) -> Void
    ) {
        // snippet: begin
        for url in urls {
            let operation = HTTPRequestOperation(request: URLRequest(url: url))
            operation.securityPolicy = policy
            operation.setMetricsBlock { metrics in
                guard let last = metrics.transactionMetrics.last else { return }
                // "h2" where the server speaks HTTP/2, and the connection is shared then.
                tell("\(last.networkProtocolName ?? "?"), reused: \(last.isReusedConnection)")
            }
            manager.enqueue(operation)
        }
        // snippet: end
    }
}
