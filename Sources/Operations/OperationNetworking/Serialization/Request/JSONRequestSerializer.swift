public import Foundation
public import FoundationNetworking

/// Writes parameters as a JSON body (RFC 8259); those of GET, HEAD and DELETE as a query.
///
/// The outermost value is an array or a dictionary with text keys. Values are the same, text,
/// finite numbers, `Bool`, `NSNull` and `nil` (`null`). Any other value is an error with the path
/// to it, where the original stopped the program (wound 39). Members are sorted by name, so that
/// equal parameters give equal bytes. Without parameters there is no body and no content type
/// (RQ-10).
open class JSONRequestSerializer: HTTPRequestSerializer, @unchecked Sendable {
    // @unchecked because the superclass holds the state, under its lock.

    /// How JSON is written; no option at first. `fragmentsAllowed` also allows text and numbers
    /// outermost.
    public var writingOptions: JSONSerialization.WritingOptions {
        get { current.writingOptions }
        set { update { $0.writingOptions = newValue } }
    }

    /// A serializer that writes without options.
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
    /// - Throws: ``RequestSerializationError``; there is never a request without its body (wound
    ///   41).
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
