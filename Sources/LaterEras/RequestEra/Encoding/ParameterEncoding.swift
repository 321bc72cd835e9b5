public import FoundationNetworking

/// Writes parameters into a request.
///
/// It is called on the thread of the caller who makes the request, so it need not be `Sendable`.
public protocol ParameterEncoding {
    /// Returns the request with the parameters.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or what making the request throws.
    func encode(
        _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
    ) throws -> URLRequest
}
