import Foundation
import FoundationNetworking

/// A new body stream for each run and each copy (CO-7).
enum ReplayedBody {
    /// The request with a new body stream, if its body can be replayed.
    ///
    /// - Throws: why it cannot, if reading has begun.
    static func fresh(_ request: URLRequest) throws -> URLRequest {
        guard let body = request.httpBodyStream as? any ReplayableBody else { return request }
        var fresh = request
        do {
            fresh.httpBodyStream = try body.freshCopy()
        } catch  where body.streamStatus == .notOpen {
            // It was not read yet, and works once.
        }
        return fresh
    }
}
