import Foundation
import FoundationNetworking

/// Archives every setting under the name of its property, so that an archive forgets none (wound
/// 43); blocks cannot be archived.
extension RequestSettings {
    /// - Returns: nil where the header fields cannot be read, because a request without them may be
    ///   another request. Other settings that the archive lacks keep their defaults.
    init?(coder: NSCoder) {
        self.init()
        func number<Value: RawRepresentable<UInt>>(_ key: String) -> Value? {
            coder.integer(key).flatMap { Value(rawValue: UInt(bitPattern: $0)) }
        }
        if coder.containsValue(forKey: Key.headers) {
            guard let fields = coder.value([String: String].self, forKey: Key.headers) else {
                return nil
            }
            headers = fields
        }
        methodsInURI = coder.value(Set.self, forKey: Key.methodsInURI) ?? methodsInURI
        stringEncoding = number(Key.stringEncoding) ?? stringEncoding
        allowsCellularAccess = coder.bool(Key.allowsCellularAccess)
        cachePolicy = number(Key.cachePolicy)
        handlesCookies = coder.bool(Key.handlesCookies)
        usesPipelining = coder.bool(Key.usesPipelining)
        networkServiceType = number(Key.networkServiceType)
        timeoutInterval = coder.double(Key.timeoutInterval)
        writingOptions = number(Key.writingOptions) ?? writingOptions
        format = number(Key.format) ?? format
        writeOptions = coder.integer(Key.writeOptions) ?? writeOptions
    }

    func encode(with coder: NSCoder) {
        func encode(_ number: UInt?, _ key: String) {
            if let number { coder.encode(Int(bitPattern: number), forKey: key) }
        }
        func encode(_ flag: Bool?, _ key: String) {
            if let flag { coder.encode(flag, forKey: key) }
        }
        coder.encode(value: methodsInURI, forKey: Key.methodsInURI)
        coder.encode(value: headers, forKey: Key.headers)
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
