import Foundation
import FoundationNetworking

/// The result of a validation.
public enum ValidationResult: Sendable {
    /// The response is accepted.
    case success
    /// The response is refused; the request fails with this error.
    case failure(any Error)
}

/// The validations of status and content type that requests have, as functions without side effects.
enum ResponseValidation {
    private typealias Reason = AFError.ResponseValidationFailureReason

    static let acceptableStatusCodes = 200..<300

    /// The content types in the `Accept` field of the request, as they are written there; all types if it has no such field.
    static func acceptableContentTypes(of request: URLRequest?) -> [String] {
        request?.value(forHTTPHeaderField: "Accept")?.components(separatedBy: ",") ?? ["*/*"]
    }

    static func status(
        _ acceptable: some Sequence<Int>, _ response: HTTPURLResponse
    ) -> ValidationResult {
        acceptable.contains(response.statusCode)
            ? .success : failed(.unacceptableStatusCode(code: response.statusCode))
    }

    /// Validates the content type of a response. An empty body is accepted with any type.
    static func contentType(
        _ acceptable: [String], _ response: HTTPURLResponse, _ data: Data?
    ) -> ValidationResult {
        guard let data, !data.isEmpty else { return .success }
        return contentType(acceptable, response)
    }

    /// Validates the content type of a download. It reads the size of the file, but not its bytes.
    static func contentType(
        _ acceptable: [String], _ response: HTTPURLResponse, file url: URL?
    ) -> ValidationResult {
        guard let url else { return failed(.dataFileNil) }
        guard let size = DownloadedFile.size(of: url) else {
            return failed(.dataFileReadFailed(at: url))
        }
        return size == 0 ? .success : contentType(acceptable, response)
    }

    private static func contentType(
        _ acceptable: [String], _ response: HTTPURLResponse
    ) -> ValidationResult {
        // For speed: most requests have no `Accept`.
        if acceptable.contains("*/*") { return .success }
        let types = acceptable.map(MediaType.init)
        guard let name = response.mimeType else {
            return types.contains { $0.isWildcard }
                ? .success : failed(.missingContentType(acceptableContentTypes: acceptable))
        }
        let type = MediaType(name)
        return types.contains { $0.accepts(type) }
            ? .success
            : failed(
                .unacceptableContentType(
                    acceptableContentTypes: acceptable, responseContentType: name))
    }

    private static func failed(_ reason: Reason) -> ValidationResult {
        .failure(AFError.responseValidationFailed(reason: reason))
    }
}

/// A content type, compared as in Alamofire: by the text before the first slash and that after the last, with case, and
/// without parameters.
struct MediaType: Equatable {
    let type: String
    let subtype: String

    init(_ text: String) {
        let bare = Self.trimmed(text).prefix { $0 != ";" }
        let afterSlash = bare.lastIndex(of: "/").map { bare.index(after: $0) }
        type = String(bare.prefix { $0 != "/" })
        subtype = String(bare[(afterSlash ?? bare.startIndex)...])
    }

    /// Written here because Foundation's `trimmingCharacters` takes longer than all the rest of a validation.
    private static func trimmed(_ text: String) -> Substring {
        let blanks = CharacterSet.whitespacesAndNewlines
        var rest = text.unicodeScalars[...]
        while let first = rest.first, blanks.contains(first) { rest.removeFirst() }
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        return Substring(rest)
    }

    var isWildcard: Bool { type == "*" && subtype == "*" }

    /// Whether `other` is the same type, or matches this one with `*` as a wildcard.
    func accepts(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }
}
