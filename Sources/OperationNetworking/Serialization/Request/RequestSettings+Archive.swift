import Foundation
import FoundationNetworking

/// Every setting by the name of its property; blocks cannot be archived (wound 43).
extension RequestSettings {
    /// What the archive lacks keeps its default.
    init(coder: NSCoder) {
        self.init()
        // Asking for a key that is not there would fail the whole archive.
        func value<Value>(_ key: String, _ decode: (String) -> Value?) -> Value? {
            coder.containsValue(forKey: key) ? decode(key) : nil
        }
        func number<Value: RawRepresentable<UInt>>(_ key: String) -> Value? {
            value(key) { Value(rawValue: UInt(bitPattern: coder.decodeInteger(forKey: $0))) }
        }
        let methods = value(Key.methodsInURI) {
            coder.decodeObject(of: [NSArray.self, NSString.self], forKey: $0) as? [String]
        }
        let fields = value(Key.headers) {
            coder.decodeObject(of: [NSDictionary.self, NSString.self], forKey: $0)
                as? [String: String]
        }
        methodsInURI = methods.map(Set.init) ?? methodsInURI
        headers = fields ?? headers
        stringEncoding = number(Key.stringEncoding) ?? stringEncoding
        allowsCellularAccess = value(Key.allowsCellularAccess, coder.decodeBool)
        cachePolicy = number(Key.cachePolicy)
        handlesCookies = value(Key.handlesCookies, coder.decodeBool)
        usesPipelining = value(Key.usesPipelining, coder.decodeBool)
        networkServiceType = number(Key.networkServiceType)
        timeoutInterval = value(Key.timeoutInterval, coder.decodeDouble)
        writingOptions = number(Key.writingOptions) ?? writingOptions
        format = number(Key.format) ?? format
        writeOptions = value(Key.writeOptions, coder.decodeInteger) ?? writeOptions
    }

    func encode(with coder: NSCoder) {
        func encode(_ number: UInt?, _ key: String) {
            if let number { coder.encode(Int(bitPattern: number), forKey: key) }
        }
        func encode(_ flag: Bool?, _ key: String) {
            if let flag { coder.encode(flag, forKey: key) }
        }
        coder.encode(methodsInURI.sorted() as NSArray, forKey: Key.methodsInURI)
        coder.encode(headers as NSDictionary, forKey: Key.headers)
        encode(stringEncoding.rawValue, Key.stringEncoding)
        encode(allowsCellularAccess, Key.allowsCellularAccess)
        encode(cachePolicy?.rawValue, Key.cachePolicy)
        encode(handlesCookies, Key.handlesCookies)
        encode(usesPipelining, Key.usesPipelining)
        encode(networkServiceType?.rawValue, Key.networkServiceType)
        if let timeoutInterval { coder.encode(timeoutInterval, forKey: Key.timeoutInterval) }
        encode(writingOptions.rawValue, Key.writingOptions)
        encode(format.rawValue, Key.format)
        coder.encode(writeOptions, forKey: Key.writeOptions)
    }

    private enum Key {
        static let methodsInURI = "HTTPMethodsEncodingParametersInURI"
        static let headers = "mutableHTTPRequestHeaders"
        static let stringEncoding = "stringEncoding"
        static let allowsCellularAccess = "allowsCellularAccess"
        static let cachePolicy = "cachePolicy"
        static let handlesCookies = "HTTPShouldHandleCookies"
        static let usesPipelining = "HTTPShouldUsePipelining"
        static let networkServiceType = "networkServiceType"
        static let timeoutInterval = "timeoutInterval"
        static let writingOptions = "writingOptions"
        static let format = "format"
        static let writeOptions = "writeOptions"
    }
}
