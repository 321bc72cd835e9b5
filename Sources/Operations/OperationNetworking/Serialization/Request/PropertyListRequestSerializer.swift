public import Foundation
public import FoundationNetworking

/// Writes parameters as a property list; those of GET, HEAD and DELETE as a query.
///
/// Values are dictionaries with text keys, arrays, text, numbers, `Bool`, `Date` and `Data`. Any
/// other value, `NSNull` too, is an error with the path to it. Without parameters there is no body
/// and no content type (RQ-11).
open class PropertyListRequestSerializer: HTTPRequestSerializer, @unchecked Sendable {
    // @unchecked because the superclass holds the state, under its lock.

    /// XML at first, or binary. The old text format can only be read, and is an error here.
    public var format: PropertyListSerialization.PropertyListFormat {
        get { current.format }
        set { update { $0.format = newValue } }
    }

    /// Passed to Foundation, which ignores it.
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
    /// - Throws: ``RequestSerializationError``; there is never a request without its body (wound
    ///   41).
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
        // Foundation on Linux stops the process when it is told to write the old text format.
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
