public import Foundation
public import FoundationNetworking
import HTTPSemantics

/// Writes parameters into a request.
///
/// It is called on the thread that makes the request, so it need not be `Sendable`.
public protocol ParameterEncoding {
    /// Returns the request with the parameters.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or what making the request throws.
    func encode(
        _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
    ) throws -> URLRequest
}

extension String: URLConvertible {
    /// What is illegal is escaped, line ends too, and what is escaped already stays so.
    ///
    /// - Throws: `AFError.invalidURL` if the text is no URL.
    public func asURL() throws -> URL {
        guard let url = WrittenURL.url(self, escapingControls: true) else {
            throw AFError.invalidURL(url: self)
        }
        return url
    }
}

extension URL: URLConvertible {
    /// Itself.
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    /// - Throws: `AFError.invalidURL` if the components make no URL.
    public func asURL() throws -> URL {
        guard let url else { throw AFError.invalidURL(url: self) }
        return url
    }
}

extension URLRequest: URLRequestConvertible {
    /// Itself.
    public func asURLRequest() throws -> URLRequest { self }
}

extension URLRequest {
    /// A request with these header fields.
    ///
    /// - Throws: what `asURL()` throws.
    public init(
        url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil
    ) throws {
        self.init(url: try url.asURL())
        httpMethod = method.rawValue
        for (name, value) in headers ?? [:] { setValue(value, forHTTPHeaderField: name) }
    }
}
