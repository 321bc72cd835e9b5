public import Foundation
public import FoundationNetworking
import OperationNetworking

/// Writes parameters into the body as a property list, whatever the method.
public struct PropertyListEncoding: ParameterEncoding, Sendable {
    /// As XML.
    public static var `default`: PropertyListEncoding { PropertyListEncoding() }
    /// As XML.
    public static var xml: PropertyListEncoding { PropertyListEncoding(format: .xml) }
    /// As the binary format.
    public static var binary: PropertyListEncoding { PropertyListEncoding(format: .binary) }

    /// The format.
    public let format: PropertyListSerialization.PropertyListFormat
    /// Unused by Foundation's writer.
    public let options: PropertyListSerialization.WriteOptions

    /// An encoding in this format.
    public init(
        format: PropertyListSerialization.PropertyListFormat = .xml,
        options: PropertyListSerialization.WriteOptions = 0
    ) {
        self.format = format
        self.options = options
    }

    /// Returns the request with the parameters in the body, and the type `application/x-plist`
    /// unless there is a type. Nil parameters change nothing.
    ///
    /// - Throws: `AFError.parameterEncodingFailed` with the cause if a value cannot be written.
    public func encode(
        _ urlRequest: any URLRequestConvertible, with parameters: Parameters? = nil
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        // Foundation on Linux stops the process when a request without a URL is changed.
        guard request.url != nil else {
            throw AFError.parameterEncodingFailed(reason: .missingURL)
        }
        do {
            // A value that is no property list stops the process in the writer, so it is checked
            // first.
            let checked = try BodyObject.propertyList.checked(parameters)
            let body = try PropertyListSerialization.data(
                fromPropertyList: checked, format: format, options: options)
            request.setContentType("application/x-plist")
            request.httpBody = body
        } catch {
            throw AFError.parameterEncodingFailed(reason: .propertyListEncodingFailed(error: error))
        }
        return request
    }
}
