import Foundation
import HTTPSemantics

/// Why a response is refused although libcurl would accept it.
struct ResponseFault: Error, Equatable {
    var code: URLError.Code
    var text: String
    var limit: LoadLimitError?

    init(_ text: String, _ code: URLError.Code = .badServerResponse) {
        self.text = text
        self.code = code
    }

    init(_ limit: LoadLimitError.Limit, _ value: Int) {
        self.init("", .dataLengthExceedsMaximum)
        self.limit = LoadLimitError(limit, Int64(value))
    }

    /// The error that the exchange fails with.
    func urlError(_ url: URL?) -> URLError {
        limit?.urlError(url) ?? URLError(code, url: url, text: text)
    }
}

/// What to do with a response whose head is complete.
enum HeadVerdict: Equatable {
    case accept
    /// A peer may read the body's framing differently, so the connection is not used again.
    case acceptAndClose
    case refuse(ResponseFault)
}

/// Checks heads where libcurl 7.88.1 accepts more than RFC 9110 and 9112 allow.
///
/// One value for each exchange: interim heads, the final head and trailers count together.
struct HeadRules {
    private let limit: Int
    private var bytes = 0
    private var lines = 0
    private var isInterim = false
    /// Before the first line and after an interim head. Elsewhere a line is a field, whatever it looks like.
    private var isBetweenHeads = true
    /// The line before was a status line.
    private var isFirstField = false

    /// A line costs more than its bytes.
    private static let mostLines = 10_000

    /// - Parameter limit: bytes of all lines, as `LoadLimits.head`.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether no line was received.
    var isAtStart: Bool { lines == 0 }

    // MARK: Line by line

    /// Checks one line as libcurl delivers it, line end included.
    ///
    /// - Parameter isHTTP2: whether HTTP/2 was negotiated; libcurl writes its status line.
    mutating func fault(in line: UnsafeRawBufferPointer, isHTTP2: Bool = false) -> ResponseFault? {
        bytes += line.count
        lines += 1
        guard bytes <= limit, lines <= Self.mostLines else { return ResponseFault(.head, limit) }
        let content = Self.withoutEnd(line)
        guard Self.index(of: 0, in: content) == nil,
            Self.index(of: Self.carriageReturn, in: content) == nil
        else { return ResponseFault("A line of the head contains a NUL or a CR (RFC 9112 2.2).") }
        if isBetweenHeads, content.starts(with: Self.protocolName) {
            return statusLineFault(content, isHTTP2)
        }
        defer { isFirstField = false }
        guard let first = content.first else {
            isBetweenHeads = isInterim
            return nil
        }
        if FieldValue.isBlank(first) {
            return isFirstField
                ? ResponseFault("The head's first field is a folded line (RFC 9112 2.2).") : nil
        }
        guard let colon = Self.index(of: UInt8(ascii: ":"), in: content) else {
            return ResponseFault("A line of the head has no colon (RFC 9112 5).")
        }
        return framingFault(
            name: UnsafeRawBufferPointer(rebasing: content[..<colon]),
            value: UnsafeRawBufferPointer(rebasing: content[(colon + 1)...]))
    }

    /// `HTTP/1.1 200 OK`. libcurl is less strict about what follows the number.
    private mutating func statusLineFault(
        _ line: UnsafeRawBufferPointer, _ isHTTP2: Bool
    ) -> ResponseFault? {
        let version = line.prefix { $0 != Self.space }
        let number = line[version.endIndex...].dropFirst().prefix { $0 != Self.space }
        let isKnown =
            Self.versions.contains { version.elementsEqual($0) }
            || isHTTP2 && version.elementsEqual("HTTP/2".utf8)
        guard isKnown, !number.isEmpty, number.allSatisfy(\.isASCIIDigit) else {
            return ResponseFault("The response's status line is not one of HTTP (RFC 9112 4).")
        }
        // libcurl 7.88 itself refuses these, as a response that is not HTTP.
        guard number.count == 3, number.first != UInt8(ascii: "0") else {
            return ResponseFault(
                "The response's status code is not a number from 100 to 999 (RFC 9110 15).",
                .cannotParseResponse)
        }
        isInterim = number.first == UInt8(ascii: "1")
        isBetweenHeads = false
        isFirstField = true
        if isInterim, number.elementsEqual("101".utf8) {
            return ResponseFault(
                "The server switches to another protocol, which was not requested.")
        }
        return nil
    }

    /// Only the final head may have fields that frame the body, without a space before their colon. An interim one
    /// may have the length 0, as some servers send (RFC 9112 section 6.3: it ends with its head).
    private func framingFault(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) -> ResponseFault? {
        var end = name.count
        while end > 0, FieldValue.isBlank(name[end - 1]) { end -= 1 }
        let bare = UnsafeRawBufferPointer(rebasing: name[..<end])
        guard Self.framingNames.contains(where: { Self.isSame(bare, $0) }) else { return nil }
        if bare.count < name.count {
            return ResponseFault("A field that frames the body has a space before its colon.")
        }
        guard isInterim else { return nil }
        return Self.isSame(bare, Self.framingNames[0]) && Self.isZero(value)
            ? nil : ResponseFault("An interim response announces a body (RFC 9110 8.6).")
    }

    // MARK: The complete head

    /// Checks the final head, before its body.
    static func verdict(on head: ResponseHead) -> HeadVerdict {
        let length: Int64?
        do {
            length = try Self.length(in: head.fields)
        } catch {
            return .refuse(error)
        }
        let codings = head.values(of: "Transfer-Encoding")
        guard codings.count <= 1,
            codings.allSatisfy({ ["chunked", "identity"].contains($0.lowercased()) })
        else {
            return .refuse(
                ResponseFault(
                    "The response has a transfer coding that was not requested (RFC 9112 6.1)."))
        }
        for name in foundationReads {
            guard head.fields.byteCount(of: name) <= mostOfField else {
                return .refuse(
                    ResponseFault(
                        "The field \(name) is longer than \(mostOfField) bytes.",
                        .dataLengthExceedsMaximum))
            }
        }
        if !codings.isEmpty, length != nil || head.version == "HTTP/1.0" { return .acceptAndClose }
        if head.statusCode == 204, length ?? 0 > 0 || !codings.isEmpty { return .acceptAndClose }
        return .accept
    }

    /// Fields that `HTTPURLResponse` reads when it is made, in quadratic time, on the thread of all connections.
    private static let foundationReads = ["Content-Type", "Content-Disposition"]
    private static let mostOfField = 8_192

    /// The value of `Content-Length`, in one line or several; nil where there is none.
    static func length(in fields: HeaderFields) throws(ResponseFault) -> Int64? {
        var length: Int64?
        var fault: ResponseFault?
        fields.forEachValue(of: "Content-Length") { bytes in
            bytes.withUnsafeBytes { bytes in
                if fault == nil { fault = Self.fault(inLengths: bytes, &length) }
            }
        }
        if let fault { throw fault }
        return length
    }

    /// - Parameter length: of the fields before, and then of this one too.
    private static func fault(
        inLengths bytes: UnsafeRawBufferPointer, _ length: inout Int64?
    ) -> ResponseFault? {
        var start = 0
        // A list counts as several fields.
        while start <= bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let end = index(of: UInt8(ascii: ","), in: rest) ?? rest.count
            let value = UnsafeRawBufferPointer(rebasing: rest[..<end])
            guard let number = number(value) else {
                let text = HeaderFields.text(of: value).prefix(40)
                return ResponseFault("Content-Length is no length: \(text)")
            }
            guard length == nil || length == number else {
                return ResponseFault("The response has two lengths (RFC 9112 6.3).")
            }
            length = number
            start += end + 1
        }
        return nil
    }

    /// Digits only, without a sign or a blank inside (RFC 9110 8.6).
    private static func number(_ text: UnsafeRawBufferPointer) -> Int64? {
        var (start, end) = (0, text.count)
        while start < end, FieldValue.isBlank(text[start]) { start += 1 }
        while start < end, FieldValue.isBlank(text[end - 1]) { end -= 1 }
        return FieldValue.number(UnsafeRawBufferPointer(rebasing: text[start..<end]))
    }

    // MARK: libcurl's refusals

    /// The error where libcurl's code is too general. 56 means a lost connection or broken chunks, 27 a line
    /// that is too long. 43 means a first field that is folded, 61 a transfer coding that was not requested.
    ///
    /// - Parameter isAtStart: whether no line of a head was received.
    static func error(
        for result: CurlCode, _ reason: CurlError, url: URL, isAtStart: Bool = false
    ) -> URLError? {
        let text = reason.message
        // The limits of libcurl for one line and for all: 27 and 56 from 7.88, 100 from 8.6 and later.
        let isTooLong =
            [56, 100].contains(result.rawValue) && text.hasPrefix("Too large response headers")
        let isBroken =
            result.rawValue == 56
            && (text.hasSuffix("in chunked-encoding") || text.hasPrefix("chunk hex-length")
                || text.hasPrefix("invalid chunk size"))
        if !isTooLong, [27, 100].contains(result.rawValue) {
            return ResponseFault(
                "One line of the response's head is longer than 102,400 bytes, libcurl's limit.",
                .dataLengthExceedsMaximum
            ).urlError(url)
        }
        if isTooLong { return ResponseFault(.head, 307_200).urlError(url) }
        // A response that is not HTTP has the code 1, but with a NUL in its first line after 7.88 the code 8.
        let isNotHTTP = result.rawValue == 8 && isAtStart && text.hasPrefix("Nul byte")
        guard [43, 61].contains(result.rawValue) || isBroken || isNotHTTP else { return nil }
        return URLError(
            isNotHTTP ? .cannotParseResponse : .badServerResponse, url: url, text: text,
            underlying: reason)
    }

    // MARK: Bytes

    private static let space = UInt8(ascii: " ")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let protocolName = Array("HTTP/".utf8)
    private static let versions = ["HTTP/1.1", "HTTP/1.0"].map { Array($0.utf8) }
    private static let framingNames = ["content-length", "transfer-encoding"].map { Array($0.utf8) }

    /// - Parameter lowercase: letters and hyphens only.
    private static func isSame(
        _ name: UnsafeRawBufferPointer, _ lowercase: [UInt8]
    ) -> Bool {
        name.count == lowercase.count && zip(name, lowercase).allSatisfy { $0 | 0x20 == $1 }
    }

    /// Whether a length, or each in a list, is 0.
    private static func isZero(_ lengths: UnsafeRawBufferPointer) -> Bool {
        lengths.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy {
            number(UnsafeRawBufferPointer(rebasing: $0)) == 0
        }
    }

    private static func index(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress else { return nil }
        return memchr(start, Int32(byte), bytes.count).map { start.distance(to: $0) }
    }

    private static func withoutEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = line.count
        if count > 0, line[count - 1] == UInt8(ascii: "\n") { count -= 1 }
        if count > 0, line[count - 1] == carriageReturn { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<count])
    }
}
