package import Foundation
import HTTPSemantics

/// The body of a response as a property list.
package enum PropertyListBody {
    /// The property list, in any format.
    ///
    /// - Throws: `ResponseSerializationError.Limit` for a list that would take far more memory or
    ///   time than its size suggests; `CocoaError` for what is no property list.
    package static func object(
        _ data: Data, _ options: PropertyListSerialization.ReadOptions
    ) throws -> Any {
        guard BinaryPropertyList.isBinary(data) else {
            return try read(data, options)
        }
        let list = try BinaryPropertyList(data)
        try list.checkSize()
        if let values = try list.values() { return values }
        return try read(data, options)
    }

    /// Foundation's errors may repeat what the peer sent.
    private static func read(
        _ data: Data, _ options: PropertyListSerialization.ReadOptions
    ) throws -> Any {
        do {
            return try PropertyListSerialization.propertyList(
                from: data, options: options, format: nil)
        } catch {
            throw DescribedError.quoting(error)
        }
    }
}
