package import Foundation

/// The line between the parts of a body (RFC 2046, 5.1.1).
package struct MultipartBoundary: Sendable {
    package let text: String

    package init(text: String) {
        self.text = text
    }

    /// `Boundary+` and 16 hexadecimal digits that nobody can predict (MP-5).
    static func random() -> MultipartBoundary {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: 16 - digits.count)
        return MultipartBoundary(text: "Boundary+" + zeros + digits)
    }

    /// The bytes before a part; the first part has no line break before it (MP-6).
    package func opening(isFirst: Bool) -> Data {
        Data("\(isFirst ? "" : "\r\n")--\(text)\r\n".utf8)
    }

    /// The bytes after the last part.
    package var closing: Data {
        Data("\r\n--\(text)--\r\n".utf8)
    }

    /// Whether a reader could take any of these bytes for the boundary.
    func occurs(in bytes: Data) -> Bool {
        bytes.range(of: Data("--\(text)".utf8)) != nil
    }
}
