public import Foundation
public import FoundationNetworking

/// What can be turned into a URL: `String`, `URL`, `URLComponents`, and types of yours.
///
/// It is `Sendable` because `AFError.invalidURL` carries it to other threads.
@preconcurrency public protocol URLConvertible: Sendable {
    /// Returns the URL.
    ///
    /// - Throws: an error if there is none; the conformances here throw `AFError.invalidURL`.
    func asURL() throws -> URL
}

/// What can be turned into a request: `URLRequest`, and types of yours, such as a router.
///
/// It is asked on the caller's thread, so it need not be `Sendable`.
public protocol URLRequestConvertible {
    /// Returns the request.
    ///
    /// - Throws: an error if there is none, such as what a parameter encoding throws.
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request, or nil if it cannot be made.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}

/// The methods of a request (RFC 9110, section 9; PATCH: RFC 5789).
public enum HTTPMethod: String, Sendable {
    case options = "OPTIONS"
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case trace = "TRACE"
    case connect = "CONNECT"
}

/// Header fields of a request by their names.
public typealias HTTPHeaders = [String: String]

/// What is encoded into a request: any values by their names.
///
/// The values need not be `Sendable`: they are encoded on the caller's thread, before the request
/// goes anywhere.
public typealias Parameters = [String: Any]
