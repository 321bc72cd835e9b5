import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

// snippet: begin
/// Writes a line for each request; a program may end a span or raise a counter instead.
final class RequestLog: RequestObserver {
    private let write: @Sendable (String) -> Void
    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    func request(
        _ request: ObservedRequest, didEndWith error: (any Error)?, metrics: RequestMetrics?
    ) {
        let what = "\(request.urlRequest.httpMethod ?? "") \(request.urlRequest.url?.path ?? "")"
        let status = (request.response as? HTTPURLResponse)?.statusCode
        let seconds = metrics?.taskInterval.duration ?? 0
        let end = error?.localizedDescription ?? status.map { "\($0)" } ?? "no status"
        let trace = request.urlRequest.value(forHTTPHeaderField: "traceparent") ?? ""
        write("\(request.id) \(what): \(end), \(Int(seconds * 1000)) ms \(trace)")
    }
}

/// Sends W3C's `traceparent`, by which the server's spans join the caller's trace.
final class TracedSerializer: JSONRequestSerializer, @unchecked Sendable {
    @TaskLocal static var trace = UUID()

    override func request(
        bySerializing request: URLRequest, with parameters: Any?
    ) throws -> URLRequest {
        var request = try super.request(bySerializing: request, with: parameters)
        let trace = Self.trace.uuidString.replacing("-", with: "").lowercased()
        let span = String(UInt64.random(in: 1 ... .max), radix: 16)
        let id = String(repeating: "0", count: 16 - span.count) + span
        request.setValue("00-\(trace)-\(id)-01", forHTTPHeaderField: "traceparent")
        return request
    }
}

func observedClient(
    _ base: URL, write: @escaping @Sendable (String) -> Void
) -> HTTPRequestOperationManager {
    let manager = HTTPRequestOperationManager(baseURL: base)
    manager.observer = RequestLog(write)
    manager.requestSerializer = TracedSerializer()
    return manager
}
// snippet: end
