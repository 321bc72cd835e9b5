import Foundation
import FoundationNetworking

/// Pure: a body stream of one's own for each run and each copy (wound 17, CO-7).
enum ReplayedBody {
    /// The request with a body that nobody else reads, where the body can be had again.
    ///
    /// - Throws: why it cannot, when somebody has begun to read it.
    static func fresh(_ request: URLRequest) throws -> URLRequest {
        guard let body = request.httpBodyStream as? any ReplayableBody else { return request }
        var fresh = request
        do {
            fresh.httpBodyStream = try body.freshCopy()
        } catch  where body.streamStatus == .notOpen {
            // Nobody has read it yet; it will do for once.
        }
        return fresh
    }
}
