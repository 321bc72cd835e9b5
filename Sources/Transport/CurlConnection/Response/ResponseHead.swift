import Foundation
import FoundationNetworking
import HTTPSemantics

/// The status line and the header fields of one response.
struct ResponseHead: Sendable, Equatable {
    var version: String
    var statusCode: Int
    var fields: HeaderFields

    init(version: String, statusCode: Int, fields: HeaderFields = HeaderFields()) {
        (self.version, self.statusCode, self.fields) = (version, statusCode, fields)
    }

    /// The first value of a field.
    func value(of name: String) -> String? { fields[name] }

    /// Every value of a field, in order.
    func values(of name: String) -> [String] { fields.values(of: name) }

    /// The head as Foundation's object.
    ///
    /// Fields of one name are joined by ", " in their order (RFC 9110 section 5.3). Content-Length
    /// counts coded bytes, so the expected length of a decoded body is unknown (-1).
    func response(for url: URL, isDecoded: Bool) -> HTTPURLResponse? {
        let joined = fields.joined
        if isDecoded, hasContentEncoding {
            return DecodedResponse(
                url: url, statusCode: statusCode, httpVersion: version, headerFields: joined)
        }
        return HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: version, headerFields: joined)
    }

    /// Whether only the end of the connection ends the body (RFC 9112 section 6.3).
    var endsWithConnection: Bool {
        guard version.hasPrefix("HTTP/1"), statusCode != 204, statusCode != 304 else {
            return false
        }
        return value(of: "Content-Length") == nil
            && !values(of: "Transfer-Encoding").contains { $0.lowercased() == "chunked" }
    }

    /// Bytes of the body before decoding; 0 for a status without a body, nil where the length is unknown.
    var announcedLength: Int64? {
        if statusCode == 204 || statusCode == 304 { return 0 }
        guard value(of: "Transfer-Encoding") == nil else { return nil }
        return (try? HeadRules.length(in: fields)) ?? nil
    }

    /// Whether the body has a content coding.
    var hasContentEncoding: Bool {
        guard let coding = value(of: "Content-Encoding") else { return false }
        return !coding.isEmpty && coding.caseInsensitiveCompare("identity") != .orderedSame
    }
}

/// Collects header lines until a head is complete. Drops interim heads, and keeps trailers apart.
struct ResponseHeadParser {
    private var current: ResponseHead?
    private var isComplete = false
    /// Fields after the body (RFC 9110 section 6.5).
    private(set) var trailers = HeaderFields()

    var head: ResponseHead? { isComplete ? current : nil }

    /// Reads one line as libcurl delivers it, line end included.
    ///
    /// - Returns: the head, where this line ended a final one. 1xx heads other than 101 are not final.
    mutating func take(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
        let content = line.dropLast { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let first = content.first else { return endOfBlock() }
        if current == nil, content.starts(with: "HTTP/".utf8) {
            current = Self.statusLine(content)
            return nil
        }
        if FieldValue.isBlank(first) {
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
        if !isComplete { current?.fields.appendToLast(rest) }
    }

    private static func statusLine(_ line: UnsafeRawBufferPointer) -> ResponseHead {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") }
        let version = line.prefix { !isSpace($0) }
        let status = line[version.endIndex...].drop(while: isSpace).prefix { !isSpace($0) }
        let number =
            status.count == 3 ? FieldValue.number(UnsafeRawBufferPointer(rebasing: status)) : nil
        var head = ResponseHead(
            version: Self.version(UnsafeRawBufferPointer(rebasing: version)),
            statusCode: number.map(Int.init) ?? 0)
        head.fields.reserve(bytes: 256, lines: 8)
        return head
    }

    private static func version(_ bytes: UnsafeRawBufferPointer) -> String {
        bytes.elementsEqual("HTTP/1.1".utf8) ? "HTTP/1.1" : HeaderFields.text(of: bytes)
    }

    private mutating func take(field line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = Self.trimmed(UnsafeRawBufferPointer(rebasing: line[..<colon]))
        let value = Self.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        if name.isEmpty { return }
        if isComplete {
            trailers.append(name: name, value: value)
        } else {
            current?.fields.append(name: name, value: value)
        }
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let rest = bytes.drop(while: FieldValue.isBlank)
        return UnsafeRawBufferPointer(rebasing: rest).dropLast(while: FieldValue.isBlank)
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

/// A response whose body is decoded on the way, so that Content-Length is not its length.
final class DecodedResponse: HTTPURLResponse, @unchecked Sendable {
    // @unchecked because the superclass is, and this class stores nothing.
    override var expectedContentLength: Int64 { -1 }
}

/// Checks and reads the lines of heads until the response's head is complete.
struct HeadReception {
    private(set) var parser = ResponseHeadParser()
    private var rules: HeadRules
    /// A head after which libcurl may send the request again by itself, such as a 401, or that came while the load was
    /// suspended. Where no other follows, it is the response's.
    var held: ResponseHead?

    /// When bytes of the response were last received, in nanoseconds of the monotonic clock.
    var latest: UInt64 = 0

    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        rules = HeadRules(limit: limit)
    }

    /// The head that was received last.
    var head: ResponseHead? { parser.head }

    /// Whether no line was received.
    var isAtStart: Bool { rules.isAtStart }

    mutating func fault(in line: UnsafeRawBufferPointer, isHTTP2: Bool) -> ResponseFault? {
        rules.fault(in: line, isHTTP2: isHTTP2)
    }

    mutating func take(_ line: UnsafeRawBufferPointer) -> ResponseHead? {
        parser.take(line)
    }

    /// Another head follows: libcurl sends the request again after the one in `held`, or the load does without Expect.
    mutating func beginAgain() {
        self = HeadReception(limit: limit)
    }
}

/// The head of a proxy's response to CONNECT: of several responses the last.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class TunnelReply {
    private var parser = ResponseHeadParser()
    private var left: Int
    /// Whether the proxy demands a login, or another one.
    var wantsLogin = false

    /// - Parameter limit: bytes of all lines that are read, as `LoadLimits.head`.
    init(limit: Int) {
        left = limit
    }

    var head: ResponseHead? { parser.head }

    func take(_ line: UnsafeRawBufferPointer) {
        if parser.head != nil, line.starts(with: "HTTP/".utf8) { parser = ResponseHeadParser() }
        left -= line.count
        if left >= 0 { _ = parser.take(line) }
    }
}

/// A head, and Foundation's object for it, which is made when it is first needed: that costs more than everything
/// else that is done with a head.
struct LazyHTTPResponse {
    let head: ResponseHead
    let url: URL
    /// Whether a coded body is decoded.
    let isDecoded: Bool
    /// The response made before, to be used again where the head is the same.
    let latest: LatestResponse

    /// Nil where Foundation accepts no such head.
    var httpURLResponse: HTTPURLResponse? {
        latest.response(for: head, url, isDecoded: isDecoded)
    }
}

/// The response made last for a transport.
///
/// Requests for one resource within a second mostly get the same head, byte for byte, and share one
/// object, which never changes. Long heads are not kept.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class LatestResponse {
    /// The most bytes of the names and values of a head that is kept.
    private static let limit = 4_096

    /// Exclusivity is unchecked for speed: it is only read and replaced whole.
    @exclusivity(unchecked)
    private var latest: (head: ResponseHead, url: URL, isDecoded: Bool, response: HTTPURLResponse)?

    func response(for head: ResponseHead, _ url: URL, isDecoded: Bool) -> HTTPURLResponse? {
        if let latest, latest.isDecoded == isDecoded, latest.head == head,
            latest.url == url
        {
            return latest.response
        }
        let response = head.response(for: url, isDecoded: isDecoded)
        latest =
            head.fields.byteCount <= Self.limit
            ? response.map { (head, url, isDecoded, $0) } : nil
        return response
    }

    /// To be called when all connections are closed.
    func forget() {
        latest = nil
    }
}
