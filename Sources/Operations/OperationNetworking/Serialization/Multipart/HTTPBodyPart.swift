package import Foundation
import HTTPSemantics

/// A part of a body, sent in four phases.
struct HTTPBodyPart: Sendable {
    enum Phase: CaseIterable {
        case boundary, headers, body, closing, over

        /// The next phase; only the last part has a closing boundary.
        func next(isLast: Bool) -> Phase {
            switch self {
            case .boundary: .headers
            case .headers: .body
            case .body: isLast ? .closing : .over
            case .closing, .over: .over
            }
        }
    }

    let headers: PartHeaders
    let body: PartBody

    /// The bytes of a phase; nil after the last one.
    func source(
        of phase: Phase, boundary: MultipartBoundary, isFirst: Bool
    ) throws -> (any PartSource)? {
        switch phase {
        case .boundary: DataSource(boundary.opening(isFirst: isFirst))
        case .headers: DataSource(headers.lines)
        case .body: try body.source()
        case .closing: DataSource(boundary.closing)
        case .over: nil
        }
    }

    /// The length of all phases; nil if it exceeds `Int64.max`.
    func length(boundary: MultipartBoundary, isFirst: Bool, isLast: Bool) -> Int64? {
        let frame =
            boundary.opening(isFirst: isFirst).count + headers.lines.count
            + (isLast ? boundary.closing.count : 0)
        let (sum, isTooMuch) = body.length.addingReportingOverflow(Int64(frame))
        return isTooMuch ? nil : sum
    }

    /// Only so many bytes are searched, since the chance is 1 in 2^64.
    private static let searchLimit = 1 << 20

    /// Whether the boundary occurs in the header fields or in the beginning of the body.
    func contains(_ boundary: MultipartBoundary) -> Bool {
        if case .data(let bytes) = body, boundary.occurs(in: bytes.prefix(Self.searchLimit)) {
            return true
        }
        return boundary.occurs(in: headers.lines)
    }
}

/// The body of a part.
enum PartBody: Sendable {
    case data(Data)
    case file(FilePart)
    case stream(StreamPart)

    /// In bytes.
    var length: Int64 {
        switch self {
        case .data(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        case .stream(let stream): stream.length
        }
    }

    func source() throws -> any PartSource {
        switch self {
        case .data(let bytes): DataSource(bytes)
        case .file(let file): try FileSource(file)
        case .stream(let stream): try StreamSource(stream)
        }
    }
}

/// The header fields of a part, in order.
package struct PartHeaders: Sendable {
    /// The field lines and the empty line after them.
    package let lines: Data

    /// The header fields of a form field. Alamofire allows a type without a file name.
    package init(
        name: String, fileName: String? = nil, mimeType: String? = nil
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

    /// The caller's header fields.
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

/// The line between the parts of a body (RFC 2046, 5.1.1).
package struct MultipartBoundary: Sendable {
    package let text: String

    package init(text: String) {
        self.text = text
    }

    /// `Boundary+` and 16 random hexadecimal digits.
    static func random() -> MultipartBoundary {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: 16 - digits.count)
        return MultipartBoundary(text: "Boundary+" + zeros + digits)
    }

    /// The bytes before a part, without a line break before the first one.
    package func opening(isFirst: Bool) -> Data {
        Data("\(isFirst ? "" : "\r\n")--\(text)\r\n".utf8)
    }

    /// The bytes after the last part.
    package var closing: Data {
        Data("\r\n--\(text)--\r\n".utf8)
    }

    /// Whether bytes contain the boundary.
    func occurs(in bytes: Data) -> Bool {
        bytes.range(of: Data("--\(text)".utf8)) != nil
    }
}
