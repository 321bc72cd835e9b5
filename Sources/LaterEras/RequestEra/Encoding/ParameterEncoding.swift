public import Foundation
public import FoundationNetworking
import HTTPSemantics
import OperationNetworking

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
        try request.setBody("application/json", { .jsonEncodingFailed(error: $0) }) {
            // A value that is no JSON stops the process in the writer.
            let checked = try Self.form.checked(object)
            let isContainer = checked is [Any] || checked is [String: Any]
            guard isContainer || options.contains(.fragmentsAllowed) else {
                throw Self.form.refusal("a value that is no array or dictionary", [])
            }
            return try JSONSerialization.data(withJSONObject: checked, options: options)
        }
        return request
    }
}

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
        try request.setBody("application/x-plist", { .propertyListEncodingFailed(error: $0) }) {
            // A value that is no property list stops the process in the writer.
            let checked = try BodyObject.propertyList.checked(parameters)
            return try PropertyListSerialization.data(
                fromPropertyList: checked, format: format, options: options)
        }
        return request
    }
}

extension URLRequest {
    /// Sets the body that `write` makes, and its type unless there is one.
    ///
    /// - Parameter reason: of the error, given what `write` throws.
    fileprivate mutating func setBody(
        _ type: String, _ reason: (any Error) -> AFError.ParameterEncodingFailureReason,
        _ write: () throws -> Data
    ) throws {
        // Foundation on Linux stops the process when a request without a URL is changed.
        guard url != nil else { throw AFError.parameterEncodingFailed(reason: .missingURL) }
        do {
            let body = try write()
            setContentType(type)
            httpBody = body
        } catch {
            throw AFError.parameterEncodingFailed(reason: reason(error))
        }
    }
}
