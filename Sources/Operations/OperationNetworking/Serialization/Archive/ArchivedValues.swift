package import Foundation

/// How our classes archive themselves: as numbers, and as property lists in data of their own.
///
/// So an archive of ours has no reference to another object. In an edited archive, Foundation on
/// Linux stops the process at a reference to an unexpected class, and Foundation's own classes stop
/// it at a missing value. Data either decodes or does not.
extension NSCoder {
    /// Archives a value as data; nil archives nothing.
    package func encode(value: (some Encodable)?, forKey key: String) {
        guard let value else { return }
        // A property list cannot be a number or a text by itself.
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        encode(bytes: try? encoder.encode([value]), forKey: key)
    }

    /// The value that `encode(value:forKey:)` archived; nil where there is none or it cannot be
    /// read.
    package func value<Value: Decodable>(_ type: Value.Type, forKey key: String) -> Value? {
        guard let bytes = bytes(forKey: key), (try? BinaryPropertyList.check(bytes)) != nil,
            let values = try? PropertyListDecoder().decode([Value].self, from: bytes)
        else { return nil }
        return values.count == 1 ? values.first : nil
    }

    /// Archives an object as an archive of its own.
    package func encode(object: (some NSObject & NSSecureCoding)?, forKey key: String) {
        let bytes = object.flatMap {
            try? NSKeyedArchiver.archivedData(
                withRootObject: $0, requiringSecureCoding: requiresSecureCoding)
        }
        encode(bytes: bytes, forKey: key)
    }

    /// The object that `encode(object:forKey:)` archived, read with the checks of `CheckedArchive`;
    /// nil where there is none or it cannot be read.
    package func object<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type, forKey key: String
    ) -> Object? {
        bytes(forKey: key).flatMap { try? CheckedArchive.object(of: type, from: $0) }
    }

    /// An integer; nil where there is none or the value is no integer.
    package func integer(_ key: String) -> Int? {
        value(key, decodeInteger)
    }

    /// A Boolean; nil where there is none.
    package func bool(_ key: String) -> Bool? {
        value(key, decodeBool)
    }

    /// A finite number; nil where there is none.
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
