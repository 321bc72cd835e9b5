public import FoundationNetworking

/// Encodes parameters for a request: into its URL, its body, or its headers.
public protocol URLRequestSerialization: AnyObject, Sendable {
    /// The request with its parameters.
    ///
    /// - Parameters:
    ///   - request: What to start from; it stays as it is.
    ///   - parameters: Nil for none.
    /// - Throws: Whatever makes the request impossible. There is a request or an error, never both.
    func request(bySerializing request: URLRequest, with parameters: Any?) throws -> URLRequest
}
