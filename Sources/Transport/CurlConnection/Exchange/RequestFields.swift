import Foundation
import HTTPSemantics

/// The fields of a request's head in the order in which they are sent, and libcurl's list of them.
///
/// The list is made when they are sent first. Requests that carry the same fields share both.
///
/// ## Concurrency
/// Call from: the thread that made it. Lock: none.
final class RequestFields {
    /// Neither name nor value holds a control byte but the tab.
    let lines: HeaderFields
    /// Whether gzip and deflate are decoded, and offered unless the caller offers codings. A part of a coded body
    /// cannot be decoded by itself, so a request for one asks for no coding.
    let isDecoded: Bool
    /// What the lines take in the head, at most.
    let byteCount: Int
    /// What the caller's own Accept-Encoding names.
    private let askedCodings: Set<String>
    /// Whether the caller has an empty Accept: libcurl's own is not sent either.
    private let omitsAccept: Bool
    /// Unchecked for speed: it is only read and set.
    @exclusivity(unchecked) private var list: CurlStringList?

    /// - Parameter isDecoded: whether a coded body is to be decoded.
    init(_ lines: HeaderFields, isDecoded: Bool = true) {
        var lines = lines
        let isDecoded = isDecoded && !lines.contains("Range")
        self.isDecoded = isDecoded
        if !isDecoded, !lines.contains("Accept-Encoding") {
            lines.append("Accept-Encoding", "identity")
        }
        askedCodings = ContentDecoder.asked(for: lines)
        omitsAccept = lines["Accept"].map(Self.isBlank) ?? false
        if omitsAccept { lines.remove("Accept") }
        self.lines = lines
        byteCount = lines.byteCount + 4 * lines.count
    }

    /// Whether a coded body behind a head is decoded. A coding that the caller asked for, and that is not known here,
    /// stays as it was sent, and its Content-Encoding says so.
    func decodes(_ head: ResponseHead) -> Bool {
        isDecoded && !ContentDecoder.isAsSent(head, asked: askedCodings)
    }

    /// - Throws: `CurlError` when memory is short.
    func curlList() throws(CurlError) -> CurlStringList {
        if let list { return list }
        let list = try makeList(lines)
        self.list = list
        return list
    }

    func curlListWithoutExpect() throws(CurlError) -> CurlStringList {
        var lines = lines
        lines.remove("Expect")
        return try makeList(lines)
    }

    private func makeList(_ lines: HeaderFields) throws(CurlError) -> CurlStringList {
        let list = CurlStringList()
        for field in lines { try list.append(Self.line(field)) }
        if isDecoded, !lines.contains("Accept-Encoding") {
            try list.append("Accept-Encoding: " + ContentDecoder.offer)
        }
        if omitsAccept { try list.append("Accept:") }
        if !lines.contains("Expect") { try list.append("Expect:") }
        return list
    }

    private static func line(_ field: HeaderFields.Field) -> String {
        // libcurl sends a field with an empty value where the name ends in a semicolon.
        isBlank(field.value) ? field.name + ";" : field.name + ": " + field.value
    }

    private static func isBlank(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}

/// A dictionary of fields, checked and sorted once for all requests that carry it.
///
/// ## Concurrency
/// Call from: the thread that made it. Lock: none.
final class CheckedFields {
    let dictionary: [String: String]
    /// The number of bytes of all names and values.
    let byteCount: Int
    let isASCII: Bool
    /// Why they cannot be sent, in a sentence; nil where they can.
    let objection: String?
    /// What `Transfer-Encoding` asks for, in lower case.
    let transferEncoding: String?
    /// By name, without those that libcurl writes or that are not the request's own.
    let sorted: [(name: String, value: String)]
    let sent: RequestFields
    /// What was sent with conditions of the cache last. Unchecked for speed: it is only read and replaced whole.
    @exclusivity(unchecked)
    private var conditional: (conditions: HeaderFields, fields: RequestFields)?

    init(_ dictionary: [String: String]) {
        self.dictionary = dictionary
        byteCount = Self.count(dictionary)
        isASCII = dictionary.allSatisfy { $0.isASCII && $1.isASCII }
        objection = dictionary.lazy.compactMap { RequestField.objection(to: $0, $1) }.first
        transferEncoding = dictionary.first { $0.key.isSameField(as: "Transfer-Encoding") }
            .map { $0.value.trimmingCharacters(in: .whitespaces).lowercased() }
        sorted = dictionary.map { (name: $0, value: $1) }
            .filter { field in
                !Self.notForTheWire.contains { field.name.isSameField(as: $0) }
            }
            .sorted { $0.name < $1.name }
        sent = RequestFields(objection == nil ? HeaderFields(sorted) : [:])
    }

    /// Whether a dictionary has the same bytes; false where that cannot be said.
    ///
    /// Two that are one object are compared in one step. Texts with other bytes may be equal to Swift, but those equal
    /// to ASCII have more bytes.
    func areSame(as dictionary: [String: String]) -> Bool {
        isASCII && byteCount == Self.count(dictionary) && self.dictionary == dictionary
    }

    /// With the cache's conditions at the end; for the same ones the same object again.
    func sent(with conditions: HeaderFields) -> RequestFields {
        if conditions.isEmpty { return sent }
        if let conditional, conditional.conditions == conditions { return conditional.fields }
        var lines = HeaderFields(sorted)
        lines += conditions
        let fields = RequestFields(lines)
        conditional = (conditions, fields)
        return fields
    }

    private static func count(_ dictionary: [String: String]) -> Int {
        dictionary.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    private static let notForTheWire = [
        // libcurl frames the body (`RequestBody`), and writes the first two itself.
        "Content-Length", "Transfer-Encoding", "Proxy-Authorization", "Proxy-Connection",
    ]
}

/// The dictionaries of fields that were used latest.
///
/// Mostly a manager's requests carry one and the same, and a look-up is shorter than to check or sort.
struct CheckedFieldsTable {
    private static let limit = 8
    /// Larger ones are not kept, in bytes.
    private static let largest = 4096
    private var latest: [CheckedFields] = []
    private var next = 0

    mutating func fields(of dictionary: [String: String]) -> CheckedFields {
        if let known = latest.first(where: { $0.areSame(as: dictionary) }) { return known }
        let fields = CheckedFields(dictionary)
        keep(fields)
        return fields
    }

    private mutating func keep(_ fields: CheckedFields) {
        guard fields.isASCII, fields.byteCount <= Self.largest else { return }
        if latest.count < Self.limit {
            latest.append(fields)
        } else {
            latest[next] = fields
            next = (next + 1) % Self.limit
        }
    }
}

extension String {
    fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
