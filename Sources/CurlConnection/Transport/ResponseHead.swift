import Foundation
import FoundationNetworking

/// The status line and the fields of one answer.
struct ResponseHead: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    var version: String
    var statusCode: Int
    var fields: [Field] = []

    /// The first value of a field, whatever the case of its name.
    func value(of name: String) -> String? {
        fields.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
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
        let content = Self.text(of: line)
        if content.isEmpty {
            return endOfBlock()
        }
        if content.hasPrefix("HTTP/"), current == nil {
            current = Self.statusLine(content)
            return nil
        }
        if content.first == " " || content.first == "\t" {
            fold(Self.trimmed(content.utf8[...]))
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

    /// By bytes: to Swift a colon and a combining mark after it are one character.
    private static func field(_ line: String) -> ResponseHead.Field? {
        let bytes = line.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = trimmed(bytes[..<colon])
        let value = trimmed(bytes[bytes.index(after: colon)...])
        return name.isEmpty ? nil : ResponseHead.Field(name: name, value: value)
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) {
            rest = rest.dropLast()
        }
        return String(Substring(rest))
    }

    /// Field bytes are UTF-8 where that fits, else Latin-1, so that none is lost.
    private static func text(of line: UnsafeRawBufferPointer) -> String {
        var bytes = line[...]
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            bytes = bytes.dropLast()
        }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

/// A response whose body is decoded on the way, so that its field Content-Length does not count it.
final class DecodedResponse: HTTPURLResponse, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds nothing stored.
    override var expectedContentLength: Int64 { -1 }
}
