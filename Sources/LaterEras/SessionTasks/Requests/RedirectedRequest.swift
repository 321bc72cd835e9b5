import Foundation
import FoundationNetworking
import HTTPSemantics

/// Pure: which header fields and which body a redirected request keeps (LX-11; RFC 9110 section
/// 15.4).
enum RedirectedRequest {
    private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]

    /// The fields of a configuration that are credentials.
    static func credentials(in fields: [AnyHashable: Any]) -> [String: String] {
        var found: [String: String] = [:]
        for case (let field as String, let value as String) in fields
        where credentials.contains(where: { $0.lowercased() == field.lowercased() }) {
            found[field] = value
        }
        return found
    }

    /// The request, without credentials when it goes to another origin.
    static func stripped(_ request: URLRequest, from url: URL?) -> URLRequest {
        guard !Origin.isSame(request.url, url) else { return request }
        var stripped = request
        for field in credentials {
            stripped.setValue(nil, forHTTPHeaderField: field)
        }
        return stripped
    }

    /// The request with the credentials of the one before, where it lost them.
    static func keeping(of before: URLRequest, in request: URLRequest) -> URLRequest {
        var kept = request
        for field in credentials where kept.value(forHTTPHeaderField: field) == nil {
            kept.setValue(before.value(forHTTPHeaderField: field), forHTTPHeaderField: field)
        }
        return kept
    }

    /// Whether Foundation would send the request without its body. Foundation drops the body at
    /// every redirect, also when the method stays (307, 308).
    static func losesBody(_ request: URLRequest, of source: TransferSource) -> Bool {
        source.hasBody && request.httpMethod == source.request.httpMethod
    }
}
