public import Foundation
public import FoundationNetworking
import FoundationXML
public import OperationNetworking

extension URLResponseSerialization {
    /// The decoded response, or nil; `error` can be set even with an object.
    @available(*, deprecated, renamed: "responseObject(for:data:)")
    public func responseObject(
        for response: URLResponse?, data: Data?, error: NSErrorPointer
    ) -> Any? {
        let result = responseObject(for: response, data: data)
        if let failure = result.error {
            error?.pointee = failure as NSError
        }
        return result.object
    }
}

extension XMLDocumentResponseSerializer {
    /// Makes a serializer that parses documents with these options.
    @available(*, deprecated, renamed: "init(options:)")
    public convenience init(xmlDocumentOptions mask: UInt) {
        self.init(options: XMLNode.Options(rawValue: mask))
    }
}

extension PropertyListResponseSerializer {
    /// Makes a serializer of immutable values.
    @available(*, deprecated, message: "add readOptions: []")
    public convenience init(format: PropertyListSerialization.PropertyListFormat) {
        self.init(format: format, readOptions: [])
    }
}

extension CompoundResponseSerializer {
    /// Makes a serializer that tries these in turn; other members are ignored.
    @available(*, deprecated, renamed: "init(responseSerializers:)")
    public class func compoundSerializer(
        withResponseSerializers serializers: [Any]
    ) -> CompoundResponseSerializer {
        CompoundResponseSerializer(
            responseSerializers: serializers.compactMap { $0 as? HTTPResponseSerializer })
    }
}

// The functions of 3.x and 4.x.

/// Parameters as a query, in UTF-8; empty if they are nested too deeply.
@available(*, deprecated, message: "let an HTTPRequestSerializer make the request")
public func AFQueryStringFromParameters(_ parameters: [AnyHashable: Any]) -> String {
    (try? QueryString.text(of: parameters)) ?? ""
}

/// Text as a name or a value in a query, in UTF-8.
@available(*, deprecated, message: "let an HTTPRequestSerializer make the request")
public func AFPercentEscapedStringFromString(_ string: String) -> String {
    PercentEscape.escaped(string)
}

/// A JSON value without nulls in dictionaries and, as in 4.x, in arrays.
///
/// With `.mutableContainers` the outermost container is mutable.
@available(*, deprecated, message: "set removesKeysWithNullValues and removesNullElements")
public func AFJSONObjectByRemovingKeysWithNullValues(
    _ JSONObject: Any, _ readingOptions: JSONSerialization.ReadingOptions
) -> Any {
    let object = DecodedContainers.removingNulls(JSONObject, entries: true, elements: true)
    return readingOptions.contains(.mutableContainers)
        ? DecodedContainers.mutable(object) : object
}
