import Foundation
import FoundationNetworking

/// Pure: which header fields a redirected request keeps (RFC 9110 section 15.4).
enum RedirectedRequest {
    private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]

    /// The request with the credentials of the one before, where it lost them.
    static func keeping(of before: URLRequest, in request: URLRequest) -> URLRequest {
        var kept = request
        for field in credentials where kept.value(forHTTPHeaderField: field) == nil {
            kept.setValue(before.value(forHTTPHeaderField: field), forHTTPHeaderField: field)
        }
        return kept
    }
}
