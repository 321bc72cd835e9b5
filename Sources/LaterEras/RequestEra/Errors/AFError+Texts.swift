import EventRecorder
public import Foundation
import HTTPSemantics
import OperationNetworking

extension AFError: LocalizedError {
    /// The original's sentence; secrets in a URL are shown as `REDACTED`, and control characters as
    /// U+FFFD.
    public var errorDescription: String? { sentence.printableLines }

    private var sentence: String {
        switch self {
        case .invalidURL(let url): "URL is not valid: \(Redaction.address("\(url)"))"
        case .parameterEncodingFailed(let reason): reason.localizedDescription
        case .multipartEncodingFailed(let reason): reason.localizedDescription
        case .responseValidationFailed(let reason): reason.localizedDescription
        case .responseSerializationFailed(let reason): reason.localizedDescription
        }
    }
}

extension AFError.ParameterEncodingFailureReason {
    var localizedDescription: String {
        switch self {
        case .missingURL:
            "URL request to encode was missing a URL"
        case .jsonEncodingFailed(let error):
            "JSON could not be encoded because of error:\n\(error.localizedDescription)"
        case .propertyListEncodingFailed(let error):
            "PropertyList could not be encoded because of error:\n\(error.localizedDescription)"
        }
    }
}

extension AFError.MultipartEncodingFailureReason {
    var localizedDescription: String {
        let shown = url.map { Redaction.address($0.absoluteString) } ?? ""
        return switch self {
        case .bodyPartURLInvalid:
            "The URL provided is not a file URL: \(shown)"
        case .bodyPartFilenameInvalid:
            "The URL provided does not have a valid filename: \(shown)"
        case .bodyPartFileNotReachable:
            "The URL provided is not reachable: \(shown)"
        case .bodyPartFileNotReachableWithError(_, let error):
            """
            The system returned an error while checking the provided URL for reachability.
            URL: \(shown)
            Error: \(error)
            """
        case .bodyPartFileIsDirectory:
            "The URL provided is a directory: \(shown)"
        case .bodyPartFileSizeNotAvailable:
            "Could not fetch the file size from the provided URL: \(shown)"
        case .bodyPartFileSizeQueryFailedWithError(_, let error):
            """
            The system returned an error while attempting to fetch the file size from the provided URL.
            URL: \(shown)
            Error: \(error)
            """
        case .bodyPartInputStreamCreationFailed:
            "Failed to create an InputStream for the provided URL: \(shown)"
        case .outputStreamCreationFailed:
            "Failed to create an OutputStream for URL: \(shown)"
        case .outputStreamFileAlreadyExists:
            "A file already exists at the provided URL: \(shown)"
        case .outputStreamURLInvalid:
            "The provided OutputStream URL is invalid: \(shown)"
        case .outputStreamWriteFailed(let error):
            "OutputStream write failed with error: \(error)"
        case .inputStreamReadFailed(let error):
            "InputStream read failed with error: \(error)"
        }
    }
}

extension AFError.ResponseValidationFailureReason {
    var localizedDescription: String {
        switch self {
        case .dataFileNil:
            "Response could not be validated, data file was nil."
        case .dataFileReadFailed(let url):
            "Response could not be validated, data file could not be read: "
                + "\(Redaction.address(url.absoluteString))."
        case .missingContentType(let types):
            "Response Content-Type was missing and acceptable content types "
                + "(\(types.joined(separator: ","))) do not match \"*/*\"."
        case .unacceptableContentType(let types, let type):
            "Response Content-Type \"\(type)\" does not match any acceptable types: "
                + "\(types.joined(separator: ","))."
        case .unacceptableStatusCode(let code):
            "Response status code was unacceptable: \(code)."
        }
    }
}

extension AFError.ResponseSerializationFailureReason {
    var localizedDescription: String {
        switch self {
        case .inputDataNil:
            "Response could not be serialized, input data was nil."
        case .inputDataNilOrZeroLength:
            "Response could not be serialized, input data was nil or zero length."
        case .inputFileNil:
            "Response could not be serialized, input file was nil."
        case .inputFileReadFailed(let url):
            "Response could not be serialized, input file could not be read: "
                + "\(Redaction.address(url.absoluteString))."
        case .stringSerializationFailed(let encoding):
            "String could not be serialized with encoding: \(encoding)."
        case .jsonSerializationFailed(let error):
            "JSON could not be serialized because of error:\n\(error.localizedDescription)"
                + (CodingProblem.clause(for: error).map { " (\($0))" } ?? "")
        case .propertyListSerializationFailed(let error):
            "PropertyList could not be serialized because of error:\n"
                + "\(error.localizedDescription)"
        }
    }
}
