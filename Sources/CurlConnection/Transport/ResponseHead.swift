import Foundation
import FoundationNetworking

/// The status line and the fields of one answer.
///
/// Kept as bytes: most fields are never asked for, and a string is made for those that are.
struct ResponseHead: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    /// Where a field's name begins, where that ends and its value begins, and where this ends.
    private struct Place: Sendable, Equatable {
        var start: UInt32
        var value: UInt32
        var end: UInt32

        var nameRange: Range<Int> { Int(start)..<Int(value) }
        var valueRange: Range<Int> { Int(value)..<Int(end) }
    }

    var version: String
    var statusCode: Int
    private var bytes: [UInt8] = []
    private var places: [Place] = []

    init(version: String, statusCode: Int, fields: [Field] = []) {
        self.version = version
        self.statusCode = statusCode
        bytes.reserveCapacity(256)
        places.reserveCapacity(8)
        for field in fields {
            append(name: field.name.utf8, value: field.value.utf8)
        }
    }

    mutating func append(
        name: some Collection<UInt8>, value: some Collection<UInt8>
    ) {
        let start = UInt32(bytes.count)
        bytes += name
        let end = UInt32(bytes.count)
        bytes += value
        places.append(Place(start: start, value: end, end: UInt32(bytes.count)))
    }

    /// Continues the last field's value.
    mutating func appendToLast(_ rest: some Collection<UInt8>) {
        guard let last = places.indices.last else { return }
        bytes.append(UInt8(ascii: " "))
        bytes += rest
        places[last].end = UInt32(bytes.count)
    }

    /// All fields, in order.
    var fields: [Field] {
        places.map {
            Field(
                name: Self.text(of: bytes[$0.nameRange]),
                value: Self.text(of: bytes[$0.valueRange]))
        }
    }

    /// The first value of a field, whatever the case of its name.
    func value(of name: String) -> String? {
        var values = rawValues(of: name)
        return values.next().map { Self.text(of: $0) }
    }

    /// Every value of a field, in order, whatever the case of its name.
    func values(of name: String) -> [String] {
        rawValues(of: name).map { Self.text(of: $0) }
    }

    /// The same as they came.
    func rawValues(of name: String) -> RawValues {
        RawValues(head: self, name: name)
    }

    /// The same as `==`, all bytes at once.
    func isSame(as other: ResponseHead) -> Bool {
        statusCode == other.statusCode && version == other.version
            && bytes.isSame(as: other.bytes) && places.isSame(as: other.places)
    }

    /// About how many bytes it takes.
    var size: Int { bytes.count + places.count * MemoryLayout<Place>.stride }

    struct RawValues: Sequence, IteratorProtocol {
        fileprivate let head: ResponseHead
        fileprivate let name: String
        private var index = 0

        fileprivate init(head: ResponseHead, name: String) {
            self.head = head
            self.name = name
        }

        mutating func next() -> ArraySlice<UInt8>? {
            while index < head.places.count {
                let place = head.places[index]
                index += 1
                if FieldName.isSame(head.bytes[place.nameRange], name.utf8) {
                    return head.bytes[place.valueRange]
                }
            }
            return nil
        }
    }

    /// Bytes are UTF-8 where that fits, else Latin-1, so that none is lost.
    static func text(of bytes: some Collection<UInt8>) -> String {
        // Nearly all are ASCII, for which this is the shorter way.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
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

    /// Whether nothing but the end of the connection ends the body (RFC 9112 section 6.3).
    var endsWithConnection: Bool {
        guard version.hasPrefix("HTTP/1"), statusCode != 204, statusCode != 304 else {
            return false
        }
        return value(of: "Content-Length") == nil
            && !values(of: "Transfer-Encoding").contains { $0.lowercased() == "chunked" }
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

    /// The head, once it is whole.
    var head: ResponseHead? { isComplete ? current : nil }

    /// Takes one line as libcurl hands it over, line end included.
    ///
    /// - Returns: the head, when this line ended a final one. 1xx heads but 101 are not final.
    mutating func take(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
        let content = line.dropLast { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let first = content.first else { return endOfBlock() }
        if current == nil, content.starts(with: "HTTP/".utf8) {
            current = Self.statusLine(content)
            return nil
        }
        if Self.isBlank(first) {
            fold(Self.trimmed(content))
        } else {
            take(field: content)
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
    private mutating func fold(_ rest: UnsafeRawBufferPointer) {
        if !isComplete { current?.appendToLast(rest) }
    }

    private static func statusLine(_ line: UnsafeRawBufferPointer) -> ResponseHead {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") }
        let version = line.prefix { !isSpace($0) }
        let status = line[version.endIndex...].drop(while: isSpace).prefix { !isSpace($0) }
        return ResponseHead(
            version: ResponseHead.text(of: version),
            statusCode: Int(ResponseHead.text(of: status)) ?? 0)
    }

    private mutating func take(field line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = Self.trimmed(UnsafeRawBufferPointer(rebasing: line[..<colon]))
        let value = Self.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        if name.isEmpty { return }
        if isComplete {
            trailers.append(
                ResponseHead.Field(
                    name: ResponseHead.text(of: name), value: ResponseHead.text(of: value)))
        } else {
            current?.append(name: name, value: value)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let rest = bytes.drop(while: isBlank)
        return UnsafeRawBufferPointer(rebasing: rest).dropLast(while: isBlank)
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

extension Array where Element: BitwiseCopyable {
    /// By their bytes, all at once.
    fileprivate func isSame(as other: [Element]) -> Bool {
        withUnsafeBytes { bytes in
            other.withUnsafeBytes { others in
                guard bytes.count == others.count else { return false }
                guard let start = bytes.baseAddress, let otherStart = others.baseAddress else {
                    return true
                }
                return memcmp(start, otherStart, bytes.count) == 0
            }
        }
    }
}
