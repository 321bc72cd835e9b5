import Foundation
import FoundationNetworking

/// What a validation says of a response.
public enum ValidationResult: Sendable {
    /// The response is accepted.
    case success
    /// It is not, and this becomes the request's error.
    case failure(any Error)
}

/// The validations that come with a request, as functions of what they look at (AL-18).
enum ResponseValidation {
    private typealias Reason = AFError.ResponseValidationFailureReason

    static let acceptableStatusCodes = 200..<300

    /// The types that the request asked for, each as it was written; all types if it named none.
    static func acceptableContentTypes(of request: URLRequest?) -> [String] {
        request?.value(forHTTPHeaderField: "Accept")?.components(separatedBy: ",") ?? ["*/*"]
    }

    static func status(
        _ acceptable: some Sequence<Int>, _ response: HTTPURLResponse
    ) -> ValidationResult {
        acceptable.contains(response.statusCode)
            ? .success : failed(.unacceptableStatusCode(code: response.statusCode))
    }

    /// A body without bytes has no type.
    static func contentType(
        _ acceptable: [String], _ response: HTTPURLResponse, _ data: Data?
    ) -> ValidationResult {
        guard let data, !data.isEmpty else { return .success }
        return contentType(acceptable, response)
    }

    /// For a downloaded file, whose bytes are not read.
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

/// A type as the original compares it: with case, without parameters, by its first and its last
/// piece between slashes.
struct MediaType: Equatable {
    let type: String
    let subtype: String

    init(_ text: String) {
        let bare = text.trimmingCharacters(in: .whitespacesAndNewlines)
            .prefix { $0 != ";" }
        let pieces = bare.split(separator: "/", omittingEmptySubsequences: false)
        type = pieces.first.map(String.init) ?? ""
        subtype = pieces.last.map(String.init) ?? ""
    }

    var isWildcard: Bool { type == "*" && subtype == "*" }

    /// Whether `other` is this type, or one of those that it stands for.
    func accepts(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }
}
