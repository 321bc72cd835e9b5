package import Foundation
import HTTPSemantics

/// The header fields of one part, in the order in which they are sent.
package struct PartHeaders: Sendable {
    /// The field lines and the empty line after them.
    package let lines: Data

    /// The fields of a form field, or of a file if there are a file name and a type (MP-8).
    init(name: String, file: (name: String, mimeType: String)? = nil) throws(MultipartError) {
        try self.init(name: name, fileName: file?.name, mimeType: file?.mimeType)
    }

    /// The fields of a form field; the request era gives a type without a file name, too.
    package init(
        name: String, fileName: String?, mimeType: String?
    ) throws(MultipartError) {
        var disposition = "form-data; name=\"\(Self.escaped(name))\""
        if let fileName { disposition += "; filename=\"\(Self.escaped(fileName))\"" }
        var fields = [(name: "Content-Disposition", value: disposition)]
        if let mimeType {
            try Self.check(mimeType, of: "Content-Type")
            fields.append((name: "Content-Type", value: mimeType))
        }
        lines = Self.bytes(of: fields)
    }

    /// The caller's fields (MP-7).
    package init(_ fields: [String: String]) throws(MultipartError) {
        for (name, value) in fields {
            guard RequestField.isToken(name) else {
                throw MultipartError(
                    .refusedHeader, "A part's header name is no token: \(name.debugDescription)")
            }
            try Self.check(value, of: name)
        }
        lines = Self.bytes(
            of: fields.map { ($0.key, $0.value) }.sorted {
                (Self.rank($0.0), $0.0) < (Self.rank($1.0), $1.0)
            })
    }

    /// Escapes a name as the HTML standard's "multipart/form-data encoding algorithm" does.
    private static func escaped(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": result.append(contentsOf: "%22".unicodeScalars)
            case "\r": result.append(contentsOf: "%0D".unicodeScalars)
            case "\n": result.append(contentsOf: "%0A".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Refuses control characters except the tab (RFC 9110 section 5.5).
    private static func check(_ value: String, of name: String) throws(MultipartError) {
        guard value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
            throw MultipartError(
                .refusedHeader,
                "A part's \(name) has a control character: \(value.debugDescription)")
        }
    }

    private static func rank(_ name: String) -> Int {
        switch name.lowercased() {
        case "content-disposition": 0
        case "content-type": 1
        default: 2
        }
    }

    private static func bytes(of lines: [(name: String, value: String)]) -> Data {
        Data((lines.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)
    }
}
