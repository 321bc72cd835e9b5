import Foundation

/// The body of a response as JSON.
enum JSONBody {
    /// The body in UTF-8, which the parser reads; nil when it is no text in that encoding.
    ///
    /// UTF-8 is passed on unchanged, and so is ASCII, which is UTF-8.
    static func utf8(_ data: Data, _ encoding: String.Encoding) -> Data? {
        if encoding == .utf8 || encoding == .ascii { return data }
        return TextEncoding.string(data, encoding).map { Data($0.utf8) }
    }

    /// The JSON value of the bytes, in Foundation's objects whichever parser reads it.
    static func object(_ bytes: Data, _ options: JSONSerialization.ReadingOptions) throws -> Any {
        let object = try immutable(bytes, options)
        return options.contains(.mutableContainers)
            ? try DecodedContainers.checkedMutable(object) : object
    }

    /// The same with containers of Swift's, whatever the options say.
    static func immutable(
        _ bytes: Data, _ options: JSONSerialization.ReadingOptions
    ) throws -> Any {
        let options = options.subtracting(.mutableContainers)
        if !options.contains(.mutableLeaves), let object = JSONReaders.shared.object(bytes) {
            return object
        }
        return try JSONSerialization.jsonObject(with: bytes, options: options)
    }

    /// Whether the bytes are UTF-8; called when they are no JSON.
    static func isText(_ bytes: Data) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }
}
