import EventRecorder
import Foundation
package import FoundationNetworking
import HTTPSemantics

/// Which responses a serializer accepts.
struct ResponseAcceptance {
    /// The result for a response. As in AFNetworking, a wrong type is invalid without an error if the body is empty
    /// or the response has no URL.
    enum Verdict {
        case valid
        case invalid((any Error)?)
    }

    /// Nil accepts every status.
    var statusCodes: IndexSet? = Self.success
    private static let success = IndexSet(200..<300)
    /// Nil accepts every type.
    var contentTypes: Set<String>?

    /// Validates type and status; a response that is not HTTP is valid.
    func verdict(on response: HTTPURLResponse?, data: Data?) -> Verdict {
        guard let response else { return .valid }
        var isValid = true
        var error: (any Error)?
        let type = response.mimeType.map(Self.trimmed)
        if let contentTypes, !(type.map(contentTypes.contains) ?? false) {
            isValid = false
            if let data, !data.isEmpty, response.url != nil {
                error = ResponseSerializationError(
                    .unacceptableContentType(type), response: response, data: data)
            }
        }
        let status = response.statusCode
        if let statusCodes, !statusCodes.contains(status), response.url != nil {
            isValid = false
            error = ResponseSerializationError(
                .unacceptableStatusCode(status), response: response, data: data, underlying: error)
        }
        return isValid ? .valid : .invalid(error)
    }

    /// The type without the white space before a `;` (RFC 9110 section 5.6.6), which Foundation on Linux keeps.
    private static func trimmed(_ type: String) -> String {
        func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
        guard isBlank(type.utf8.first) || isBlank(type.utf8.last) else { return type }
        return type.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }
}

extension ResponseAcceptance: Codable {
    private enum Key: CodingKey { case statusCodes, contentTypes }

    /// Decodes the statuses from the bounds of their ranges.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        contentTypes = try values.decodeIfPresent(Set<String>.self, forKey: .contentTypes)
        statusCodes = nil
        guard let bounds = try values.decodeIfPresent([Int].self, forKey: .statusCodes) else {
            return
        }
        var codes = IndexSet()
        for index in stride(from: 0, to: bounds.count, by: 2) {
            guard index + 1 < bounds.count, bounds[index] >= 0, bounds[index] < bounds[index + 1]
            else { throw CocoaError(.coderReadCorrupt) }
            codes.insert(integersIn: bounds[index]..<bounds[index + 1])
        }
        statusCodes = codes
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        let bounds = statusCodes?.rangeView.flatMap { [$0.lowerBound, $0.upperBound] }
        try values.encodeIfPresent(bounds, forKey: .statusCodes)
        try values.encodeIfPresent(contentTypes, forKey: .contentTypes)
    }
}

/// An error with its underlying errors.
enum ErrorChain {
    /// Whether the error or an underlying one says that the type is not acceptable.
    static func hasUnacceptableType(_ error: any Error) -> Bool {
        var next: NSError? = error as NSError
        while let error = next {
            if error.domain == NetworkingError.responseSerializationDomain,
                error.code == NSURLErrorCannotDecodeContentData
            {
                return true
            }
            next = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return false
    }

    /// The error with an underlying error, unless it has one already.
    static func attaching(_ underlying: (any Error)?, to error: any Error) -> any Error {
        let top = error as NSError
        guard let underlying, top.userInfo[NSUnderlyingErrorKey] == nil else { return error }
        var info = top.userInfo
        info[NSUnderlyingErrorKey] = underlying
        return DescribedError(domain: top.domain, code: top.code, userInfo: info)
    }
}

extension URLResponse {
    /// The text of Foundation's description, without secrets.
    package var shown: String {
        let address = Unmanaged.passUnretained(self).toOpaque()
        let url = url.map { Redaction.address($0.absoluteString) } ?? "nil"
        var text = "<\(type(of: self)) \(address)> { URL: \(url) }"
        guard let response = self as? HTTPURLResponse else { return text }
        let fields = response.allHeaderFields.map { ("\($0)", "\($1)") }.sorted { $0.0 < $1.0 }
        text += "{ status: \(response.statusCode), headers {\n"
        for field in Redaction.fields(fields.map { (name: $0, value: $1) }) {
            text += "   \"\(field.name)\" = \(field.value);\n"
        }
        return text.printableLines + "} }"
    }
}
