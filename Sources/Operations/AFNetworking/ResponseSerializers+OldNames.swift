public import Foundation
public import FoundationNetworking
import FoundationXML
public import OperationNetworking

extension URLResponseSerialization {
    /// The decoded response, or nil; `error` can be set besides an object (RE-5).
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
    /// Makes a serializer that tries these in turn, without members that are not serializers.
    @available(*, deprecated, renamed: "init(responseSerializers:)")
    public class func compoundSerializer(
        withResponseSerializers serializers: [Any]
    ) -> CompoundResponseSerializer {
        CompoundResponseSerializer(
            responseSerializers: serializers.compactMap { $0 as? HTTPResponseSerializer })
    }
}
