import Foundation
import FoundationNetworking

/// Which responses a serializer accepts: its settings at one moment.
struct ResponseAcceptance {
    /// The result for a response. As in the original, a wrong type is invalid without an error
    /// where the body is empty or the response has no URL (RE-2).
    enum Verdict {
        case valid
        case invalid((any Error)?)
    }

    /// Nil accepts every status.
    var statusCodes: IndexSet? = Self.success
    private static let success = IndexSet(200..<300)
    /// Nil accepts every type.
    var contentTypes: Set<String>?

    /// Validates type and status (RE-1 to RE-4); a response that is not HTTP is valid.
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

    /// The type without the white space that may stand before a `;` (RFC 9110 section 5.6.6), which
    /// Foundation on Linux leaves in it.
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
