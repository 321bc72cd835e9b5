import Foundation
import FoundationNetworking

/// The status line and the fields of one answer.
struct ResponseHead: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        var name: String
        var value: String

        /// Whether this is its name, in whatever case; names are ASCII (RFC 9110 section 5.1).
        func isNamed(_ other: String) -> Bool { name.isSameField(as: other) }
    }

    var version: String
    var statusCode: Int
    var fields: [Field] = []

    /// The first value of a field, whatever the case of its name.
    func value(of name: String) -> String? {
        fields.first { $0.isNamed(name) }?.value
    }

    /// Every value of a field, in order, whatever the case of its name.
    func values(of name: String) -> [String] {
        fields.filter { $0.isNamed(name) }.map(\.value)
    }

    /// Foundation's form of the head.
    ///
    /// Fields of one name are joined by ", " in their order (RFC 9110 section 5.3). A length that
    /// counts encoded bytes is not what the delegate will receive, so the expected length of a
    /// decoded body is unknown (-1).
    func response(for url: URL, isDecoded: Bool) -> HTTPURLResponse? {
        var joined: [String: String] = [:]
        var spellings: [String: String] = [:]
        for field in fields {
            let key = field.name.lowercased()
            if let spelling = spellings[key] {
                joined[spelling]? += ", " + field.value
            } else {
                spellings[key] = field.name
                joined[field.name] = field.value
            }
        }
        if isDecoded, hasContentEncoding {
            return DecodedResponse(
                url: url, statusCode: statusCode, httpVersion: version, headerFields: joined)
        }
        return HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: version, headerFields: joined)
    }

    /// Whether libcurl may answer this by itself and ask again, so that it is not the answer yet.
    func isChallenge(answeredIn request: TransferRequest) -> Bool {
        (statusCode == 401 && request.authentication != nil)
            || (statusCode == 407 && request.proxyAuthentication != nil)
    }

    /// Whether the body has a coding that libcurl undoes.
    var hasContentEncoding: Bool {
        guard let coding = value(of: "Content-Encoding") else { return false }
        return !coding.isEmpty && coding.caseInsensitiveCompare("identity") != .orderedSame
    }
}

/// Collects header lines until a head is complete; forgets interim heads and sets trailers apart.
struct ResponseHeadParser {
    private var current: ResponseHead?
    private var isComplete = false
    /// Fields that came after the body (RFC 9110 section 6.5); never merged into the head.
    private(set) var trailers: [ResponseHead.Field] = []

    /// Takes one line as libcurl hands it over, line end included.
    ///
    /// - Returns: the head, when this line ended a final one. 1xx heads but 101 are not final.
    mutating func take(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
        let content = line.dropLast { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let first = content.first else { return endOfBlock() }
        if current == nil, content.starts(with: "HTTP/".utf8) {
            current = Self.statusLine(Self.text(of: content))
            return nil
        }
        if Self.isBlank(first) {
            fold(Self.trimmed(content))
        } else if let field = Self.field(content) {
            if isComplete {
                trailers.append(field)
            } else {
                current?.fields.append(field)
            }
        }
        return nil
    }

    private mutating func endOfBlock() -> ResponseHead? {
        guard let head = current, !isComplete else { return nil }
        if (100..<200).contains(head.statusCode), head.statusCode != 101 {
            current = nil
            return nil
        }
        isComplete = true
        return head
    }

    /// A line that begins with white space continues the value before it (RFC 9112 section 5.2).
    private mutating func fold(_ rest: String) {
        guard !isComplete, let last = current?.fields.indices.last else { return }
        current?.fields[last].value += " " + rest
    }

    private static func statusLine(_ line: String) -> ResponseHead {
        let parts = line.split(separator: " ", maxSplits: 2)
        let status = parts.count > 1 ? Int(parts[1]) : nil
        return ResponseHead(version: String(parts[0]), statusCode: status ?? 0)
    }

    private static func field(_ line: UnsafeRawBufferPointer) -> ResponseHead.Field? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = trimmed(UnsafeRawBufferPointer(rebasing: line[..<colon]))
        let value = trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        return name.isEmpty ? nil : ResponseHead.Field(name: name, value: value)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> String {
        let rest = bytes.drop(while: isBlank)
        return text(of: UnsafeRawBufferPointer(rebasing: rest).dropLast(while: isBlank))
    }

    /// Bytes are UTF-8 where that fits, else Latin-1, so that none is lost.
    private static func text(of bytes: UnsafeRawBufferPointer) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

extension UnsafeRawBufferPointer {
    /// Without the bytes at the end for which a condition holds.
    fileprivate func dropLast(while condition: (UInt8) -> Bool) -> UnsafeRawBufferPointer {
        var end = endIndex
        while end > startIndex, condition(self[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }
}

/// A response whose body is decoded on the way, so that its field Content-Length does not count it.
final class DecodedResponse: HTTPURLResponse, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds nothing stored.
    override var expectedContentLength: Int64 { -1 }
}
