public import Foundation
public import FoundationNetworking

/// Encodes parameters as a JSON body (RFC 8259), and those of GET, HEAD and DELETE as a query.
///
/// The outermost value is an array or a dictionary with text keys. Values are the same, text, finite numbers, `Bool`,
/// `NSNull` and `nil` (`null`). Any other value is an error with its path; AFNetworking crashes. Members are sorted by
/// name, so that equal parameters are equal bytes. Without parameters there is no body and no content type.
open class JSONRequestSerializer: HTTPRequestSerializer, @unchecked Sendable {
    // @unchecked because the superclass has the state, under its lock.

    /// How JSON is encoded; no option at first. `fragmentsAllowed` allows text and numbers outermost.
    public var writingOptions: JSONSerialization.WritingOptions {
        get { current.writingOptions }
        set { update { $0.writingOptions = newValue } }
    }

    /// A serializer without options.
    public required init() {
        super.init()
    }

    /// A serializer with options.
    public convenience init(writingOptions: JSONSerialization.WritingOptions) {
        self.init()
        self.writingOptions = writingOptions
    }

    /// A serializer from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The request with a JSON body, and with `application/json` unless it has a type.
    ///
    /// - Throws: ``RequestSerializationError``.
    override open func request(
        bySerializing request: consuming URLRequest, with parameters: Any?
    ) throws -> URLRequest {
        let settings = current
        return try settings.withQueryOrBody(request, parameters, "application/json") {
            try Self.body($0, settings.writingOptions)
        }
    }

    private static func body(
        _ parameters: Any, _ options: JSONSerialization.WritingOptions
    ) throws(RequestSerializationError) -> Data {
        let object = try BodyObject.json.checked(parameters)
        guard object is [String: Any] || object is [Any] || options.contains(.fragmentsAllowed)
        else {
            throw RequestSerializationError(
                .unsupportedValue, "the top of JSON must be a dictionary or an array")
        }
        do {
            return try JSONSerialization.data(
                withJSONObject: object, options: options.union(.sortedKeys))
        } catch {
            throw RequestSerializationError(
                .encodingFailed, "the parameters could not be written as JSON", underlying: error)
        }
    }
}

/// Encodes parameters as a property list, and those of GET, HEAD and DELETE as a query.
///
/// Values are dictionaries with text keys, arrays, text, numbers, `Bool`, `Date` and `Data`. Any other value, even
/// `NSNull`, is an error with its path. Without parameters there is no body and no content type.
open class PropertyListRequestSerializer: HTTPRequestSerializer, @unchecked Sendable {
    // @unchecked because the superclass has the state, under its lock.

    /// XML at first, or binary. The OpenStep format can only be read, and is an error.
    public var format: PropertyListSerialization.PropertyListFormat {
        get { current.format }
        set { update { $0.format = newValue } }
    }

    /// Ignored by Foundation.
    public var writeOptions: PropertyListSerialization.WriteOptions {
        get { current.writeOptions }
        set { update { $0.writeOptions = newValue } }
    }

    /// A serializer that writes XML.
    public required init() {
        super.init()
    }

    /// A serializer with a format.
    public convenience init(
        format: PropertyListSerialization.PropertyListFormat,
        writeOptions: PropertyListSerialization.WriteOptions = 0
    ) {
        self.init()
        self.format = format
        self.writeOptions = writeOptions
    }

    /// A serializer from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The request with a property list as its body, and with `application/x-plist` unless it has a
    /// type.
    ///
    /// - Throws: ``RequestSerializationError``.
    override open func request(
        bySerializing request: consuming URLRequest, with parameters: Any?
    ) throws -> URLRequest {
        let settings = current
        return try settings.withQueryOrBody(request, parameters, "application/x-plist") {
            try Self.body($0, settings)
        }
    }

    private static func body(
        _ parameters: Any, _ settings: RequestSettings
    ) throws(RequestSerializationError) -> Data {
        let object = try BodyObject.propertyList.checked(parameters)
        // Foundation on Linux crashes for this format.
        guard settings.format != .openStep else {
            throw RequestSerializationError(
                .encodingFailed, "property lists can be written as XML or binary only")
        }
        do {
            return try PropertyListSerialization.data(
                fromPropertyList: object, format: settings.format, options: settings.writeOptions)
        } catch {
            throw RequestSerializationError(
                .encodingFailed, "the parameters could not be written as a property list",
                underlying: error)
        }
    }
}

/// Parameters as objects for Foundation's encoders of JSON and property lists, which crash for a value that they cannot
/// encode.
package struct BodyObject: Sendable {
    /// The format's name in errors, such as `JSON`.
    let format: String
    /// The object for a value that is no container; nil if the format has none.
    package let leaf: @Sendable (Any) -> Any?

    package init(format: String, leaf: @escaping @Sendable (Any) -> Any?) {
        self.format = format
        self.leaf = leaf
    }

    /// - Throws: `unsupportedValue` with the path to the value; `nestedTooDeeply`.
    package func checked(_ parameters: Any) throws(RequestSerializationError) -> Any {
        var path: [String] = []
        return try checked(parameters, &path)
    }

    private func checked(
        _ value: Any, _ path: inout [String]
    ) throws(RequestSerializationError) -> Any {
        guard path.count <= Parameter.deepest else { throw Parameter.tooDeep }
        switch ParameterShape(value) {
        case .leaf(let value):
            if let object = leaf(value) { return object }
            throw refusal("a value of type \(type(of: value))", path)
        case .set, .orderedSet:
            throw refusal("a set", path)
        case .array(let elements):
            var result: [Any] = []
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                result.append(try checked(element, &path))
                path.removeLast()
            }
            return result
        case .dictionary(let members):
            var result: [String: Any] = [:]
            for (key, element) in members {
                guard let name = key as? String else {
                    let text = ParameterText.text(of: key)
                    throw refusal("the key \(text), which is no text,", path)
                }
                path.append(name)
                result[name] = try checked(element, &path)
                path.removeLast()
            }
            return result
        }
    }

    /// The error for a value that cannot be encoded.
    package func refusal(_ what: String, _ path: [String]) -> RequestSerializationError {
        let position = path.isEmpty ? "the top" : "'\(path.joined(separator: "."))'"
        return RequestSerializationError(
            .unsupportedValue, "\(what) at \(position) cannot be written as \(format)")
    }
}

extension BodyObject {
    package static let json = BodyObject(format: "JSON") { value in
        if value is NSNull { return value }
        guard let number = number(value) else { return text(value) }
        return number.doubleValue.isFinite ? number : nil
    }

    package static let propertyList = BodyObject(format: "a property list") { value in
        switch value {
        case let date as Date: date
        case let data as Data: data
        default: number(value) ?? text(value)
        }
    }

    private static func text(_ value: Any) -> Any? {
        switch value {
        case let text as String: text
        case let text as Substring: String(text)
        case let character as Character: String(character)
        default: nil
        }
    }

    private static func number(_ value: Any) -> NSNumber? {
        (value as? NSNumber) ?? (value as? CGFloat).map { NSNumber(value: Double($0)) }
    }
}

/// Parameters that are already encoded: every serializer sends them as the body, for every method.
package struct EncodedParameters: Sendable {
    package let body: Data
    /// For requests without a `Content-Type`.
    let contentType: String

    /// Encodes a value as JSON.
    ///
    /// - Throws: `RequestSerializationError.Reason.encodingFailed`, with the encoder's error as underlying error.
    package init(_ value: some Encodable, _ encoder: JSONEncoder) throws {
        do {
            body = try encoder.encode(value)
        } catch {
            let words = CodingProblem.clause(for: error).map { ": \($0)" } ?? ""
            throw RequestSerializationError(
                .encodingFailed, "the \(type(of: value)) could not be written as JSON" + words,
                underlying: error)
        }
        contentType = "application/json"
    }
}
