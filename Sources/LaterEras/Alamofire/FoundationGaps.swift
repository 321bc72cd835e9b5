public import Foundation
import HTTPSemantics

// Methods of key-value coding that sources for Apple's systems use and Foundation on Linux lacks.

extension NSDictionary {
    /// The value at keys with dots between them; nil where there is none.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyedValue.value(of: self, at: keyPath)
    }
}

extension NSArray {
    /// The value of a key of each element, `NSNull` where one has none.
    public func value(forKey key: String) -> Any? { KeyedValue.value(of: self, for: key) }

    /// The value at keys with dots between them of each element, `NSNull` where one has none.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyedValue.value(of: self, at: keyPath)
    }
}

extension NSMutableDictionary {
    /// Sets the value of a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: key as NSString)
        } else {
            removeObject(forKey: key as NSString)
        }
    }
}
