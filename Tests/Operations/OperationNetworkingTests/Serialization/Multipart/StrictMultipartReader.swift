import Foundation

/// Takes a body apart as RFC 2046, section 5.1.1 and RFC 7578 write it, and refuses anything else:
/// no preamble, no epilogue, no white space after a boundary.
struct StrictMultipartReader {
    struct Part: Equatable {
        /// Without the line breaks.
        var headers: [String]
        var body: Data
    }

    struct Malformed: Error {
        let what: String
    }

    static func parts(of bytes: Data, boundary: String) throws -> [Part] {
        let opening = Data("--\(boundary)\r\n".utf8)
        let separator = Data("\r\n--\(boundary)".utf8)
        guard bytes.starts(with: opening) else { throw Malformed(what: "no opening boundary") }
        var rest = bytes.dropFirst(opening.count)
        var parts: [Part] = []
        while true {
            guard let end = rest.range(of: separator) else { throw Malformed(what: "no end") }
            parts.append(try part(Data(rest[..<end.lowerBound])))
            rest = rest[end.upperBound...]
            if rest.elementsEqual(Data("--\r\n".utf8)) { return parts }
            guard rest.starts(with: Data("\r\n".utf8)) else {
                throw Malformed(what: "bytes after a boundary")
            }
            rest = rest.dropFirst(2)
        }
    }

    private static func part(_ bytes: Data) throws -> Part {
        var headers: [String] = []
        var rest = bytes[...]
        while let end = rest.range(of: Data("\r\n".utf8)) {
            let line = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
            if line.isEmpty { return Part(headers: headers, body: Data(rest)) }
            guard let text = String(validating: line, as: UTF8.self), text.contains(": ") else {
                throw Malformed(what: "a header line that is none")
            }
            headers.append(text)
        }
        throw Malformed(what: "no empty line after the headers")
    }
}
