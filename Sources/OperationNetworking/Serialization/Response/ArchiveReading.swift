package import Foundation

/// Reading that asks first whether a key is there: on Linux the wish for a missing one fails a
/// whole secure archive.
extension NSCoder {
    package func object<Object: NSObject & NSCoding>(_ type: Object.Type, _ key: String) -> Object?
    {
        containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
    }

    package func object<Container: NSObject & NSCoding>(
        _ type: Container.Type, _ element: AnyClass, _ key: String
    ) -> Container? {
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: [type, element], forKey: key) as? Container
    }

    package func integer(_ key: String) -> Int? {
        containsValue(forKey: key) ? decodeInteger(forKey: key) : nil
    }
    package func bool(_ key: String) -> Bool? {
        containsValue(forKey: key) ? decodeBool(forKey: key) : nil
    }
}
