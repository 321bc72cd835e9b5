public import FoundationNetworking

/// Encodes parameters for a request: into its URL, its body or its header fields.
public protocol URLRequestSerialization: AnyObject, Sendable {
    /// The request with its parameters.
    ///
    /// - Parameters:
    ///   - request: the request to start from; it is not changed.
    ///   - parameters: nil for none.
    /// - Throws: any error that makes the request impossible. There is a request or an error, never
    ///   both.
    func request(bySerializing request: URLRequest, with parameters: Any?) throws -> URLRequest
}
