package import Foundation

/// The package's classes archive numbers, and property lists as data, but no references to other objects.
///
/// In an edited archive, Foundation on Linux crashes at a reference to an unexpected class, and its own classes
/// crash at a missing value.
extension NSCoder {
    /// Archives a value as data, unless it is nil.
    package func encode(value: (some Encodable)?, forKey key: String) {
        guard let value else { return }
        // A property list cannot be a number or a text by itself.
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        encode(bytes: try? encoder.encode([value]), forKey: key)
    }

    /// The value that `encode(value:forKey:)` archived; nil if there is none or it cannot be read.
    package func value<Value: Decodable>(_ type: Value.Type, forKey key: String) -> Value? {
        guard let bytes = bytes(forKey: key), (try? BinaryPropertyList.check(bytes)) != nil,
            let values = try? PropertyListDecoder().decode([Value].self, from: bytes)
        else { return nil }
        return values.count == 1 ? values.first : nil
    }

    /// Archives an object as an archive in data.
    package func encode(object: (some NSObject & NSSecureCoding)?, forKey key: String) {
        let bytes = object.flatMap {
            try? NSKeyedArchiver.archivedData(
                withRootObject: $0, requiringSecureCoding: requiresSecureCoding)
        }
        encode(bytes: bytes, forKey: key)
    }

    /// The object that `encode(object:forKey:)` archived, read by `CheckedArchive`; nil if there is none or it
    /// cannot be read.
    package func object<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type, forKey key: String
    ) -> Object? {
        bytes(forKey: key).flatMap { try? CheckedArchive.object(of: type, from: $0) }
    }

    /// An integer; nil if there is none.
    package func integer(_ key: String) -> Int? {
        value(key, decodeInteger)
    }

    /// A Boolean; nil if there is none.
    package func bool(_ key: String) -> Bool? {
        value(key, decodeBool)
    }

    /// A finite number; nil if there is none.
    package func double(_ key: String) -> Double? {
        value(key, decodeDouble).flatMap { $0.isFinite ? $0 : nil }
    }

    private func value<Value>(_ key: String, _ decode: (String) -> Value) -> Value? {
        containsValue(forKey: key) ? decode(key) : nil
    }

    private func encode(bytes: Data?, forKey key: String) {
        bytes?.withUnsafeBytes {
            encodeBytes($0.bindMemory(to: UInt8.self).baseAddress, length: $0.count, forKey: key)
        }
    }

    private func bytes(forKey key: String) -> Data? {
        withDecodedUnsafeBytes(forKey: key) { $0.map { Data($0) } }
    }
}

/// Makes copies of objects whose classes programs may inherit from.
///
/// `init(coder:)` is the only initializer that each subclass has. It is called with a coder without values, and
/// the base class takes the original's values instead.
package enum CopySource {
    private struct Copying: @unchecked Sendable {
        // @unchecked because only the thread that copies uses both.
        let coder: NSCoder
        let original: NSObject
    }

    @TaskLocal private static var copying: Copying?

    /// An object of the original's class; nil if its `init(coder:)` returns nil.
    package static func copy<Value: NSObject & NSCoding>(_ original: Value) -> Value? {
        let empty = NSKeyedArchiver(requiringSecureCoding: true)
        empty.finishEncoding()
        guard let coder = try? NSKeyedUnarchiver(forReadingFrom: empty.encodedData) else {
            return nil
        }
        // Otherwise the first missing key of a subclass would crash.
        coder.decodingFailurePolicy = .setErrorAndReturn
        return $copying.withValue(Copying(coder: coder, original: original)) {
            type(of: original).init(coder: coder)
        }
    }

    /// The original, if this coder is one of a copy; nil for the coder of an archive.
    package static func original<Value>(of coder: NSCoder, as type: Value.Type) -> Value? {
        guard let copying, copying.coder === coder else { return nil }
        return copying.original as? Value
    }
}
