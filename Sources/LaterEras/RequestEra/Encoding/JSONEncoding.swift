public import Foundation
public import FoundationNetworking
import OperationNetworking

/// Writes parameters into the body as JSON, whatever the method.
public struct JSONEncoding: ParameterEncoding, Sendable {
    /// On one line.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// With line breaks and indents.
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    /// How JSON is written.
    public let options: JSONSerialization.WritingOptions

    /// An encoding with these options.
    public init(options: JSONSerialization.WritingOptions = []) {
        self.options = options
    }

    /// Returns the request with the parameters in the body, and the type `application/json` unless
    /// there is a type. Nil parameters change nothing.
    ///
    /// - Throws: `AFError.parameterEncodingFailed` with the cause if a value is no JSON, also where
    ///   the original stops the process.
    public func encode(
        _ urlRequest: any URLRequestConvertible, with parameters: Parameters? = nil
    ) throws -> URLRequest {
        try encode(urlRequest, object: parameters)
    }

    /// As above, with any object that is JSON, such as an array.
    public func encode(
        _ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil
    ) throws -> URLRequest {
        try encode(urlRequest, object: jsonObject)
    }

    /// A nil in an `Any` is a null, as in the original.
    private static let form = BodyObject(format: "JSON") { value in
        let mirror = Mirror(reflecting: value)
        let isNil = mirror.displayStyle == .optional && mirror.children.isEmpty
        return isNil ? NSNull() : BodyObject.json.leaf(value)
    }

    private func encode(
        _ urlRequest: any URLRequestConvertible, object: Any?
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let object else { return request }
        // Foundation on Linux stops the process when a request without a URL is changed.
        guard request.url != nil else {
            throw AFError.parameterEncodingFailed(reason: .missingURL)
        }
        do {
            // A value that is no JSON stops the process in the writer, so it is checked first.
            let checked = try Self.form.checked(object)
            let isContainer = checked is [Any] || checked is [String: Any]
            guard isContainer || options.contains(.fragmentsAllowed) else {
                throw Self.form.refusal("a value that is no array or dictionary", [])
            }
            let body = try JSONSerialization.data(withJSONObject: checked, options: options)
            request.setContentType("application/json")
            request.httpBody = body
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        return request
    }
}
