public import Foundation

/// Why a request could not be made, or its response not be accepted or serialized.
///
/// Cases, reasons and texts are those of Alamofire 4.9.1 (AL-04, AL-18, AL-20 to AL-22, AL-28).
/// As an `NSError` its domain is `Alamofire.AFError` and its code the number of the case, from 0.
public enum AFError: Error {
    /// 0: a value that is no URL.
    case invalidURL(url: any URLConvertible)
    /// 1: the parameters could not be written into the request.
    case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
    /// 2: a part was refused, or the form could not be written.
    case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
    /// 3: a validation refused the response.
    case responseValidationFailed(reason: ResponseValidationFailureReason)
    /// 4: the body is not what the serializer reads.
    case responseSerializationFailed(reason: ResponseSerializationFailureReason)

    /// Why parameters could not be written into a request.
    public enum ParameterEncodingFailureReason: Sendable {
        /// The request has no URL.
        case missingURL
        /// The JSON writer's error.
        case jsonEncodingFailed(error: any Error)
        /// The property list writer's error.
        case propertyListEncodingFailed(error: any Error)
    }

    /// Why a form could not be made or written.
    public enum MultipartEncodingFailureReason: Sendable {
        /// A part's URL is no file URL.
        case bodyPartURLInvalid(url: URL)
        /// A part's URL ends in no file name with an extension.
        case bodyPartFilenameInvalid(in: URL)
        /// A part's file is not there.
        case bodyPartFileNotReachable(at: URL)
        /// A part's file is not there, by the system's error.
        case bodyPartFileNotReachableWithError(atURL: URL, error: any Error)
        /// A part's URL is that of a folder.
        case bodyPartFileIsDirectory(at: URL)
        /// A part's file has no size, such as a pipe.
        case bodyPartFileSizeNotAvailable(at: URL)
        /// The size of a part's file could not be asked for.
        case bodyPartFileSizeQueryFailedWithError(forURL: URL, error: any Error)
        /// A part's file could not be opened.
        case bodyPartInputStreamCreationFailed(for: URL)
        /// The file that the form is to be written to could not be made.
        case outputStreamCreationFailed(for: URL)
        /// There is a file where the form is to be written.
        case outputStreamFileAlreadyExists(at: URL)
        /// The form is to be written to what is no file URL.
        case outputStreamURLInvalid(url: URL)
        /// The form could not be written to its end.
        case outputStreamWriteFailed(error: any Error)
        /// A part could not be read to its end.
        case inputStreamReadFailed(error: any Error)
    }

    /// Why a response was refused.
    public enum ResponseValidationFailureReason: Sendable {
        /// There is no downloaded file.
        case dataFileNil
        /// The downloaded file cannot be read.
        case dataFileReadFailed(at: URL)
        /// The response names no type, and the acceptable ones are not all types.
        case missingContentType(acceptableContentTypes: [String])
        /// The response's type is not among the acceptable ones.
        case unacceptableContentType(
            acceptableContentTypes: [String], responseContentType: String)
        /// The response's status is not among the acceptable ones.
        case unacceptableStatusCode(code: Int)
    }

    /// Why a body could not be serialized.
    public enum ResponseSerializationFailureReason: Sendable {
        /// There is no body.
        case inputDataNil
        /// There is no body, or it has no bytes.
        case inputDataNilOrZeroLength
        /// There is no downloaded file.
        case inputFileNil
        /// The downloaded file cannot be read.
        case inputFileReadFailed(at: URL)
        /// The bytes are no text in this encoding.
        case stringSerializationFailed(encoding: String.Encoding)
        /// The JSON reader's error.
        case jsonSerializationFailed(error: any Error)
        /// The property list reader's error.
        case propertyListSerializationFailed(error: any Error)
    }
}

extension AFError: CustomNSError {
    /// The original's domain, for code that compares it.
    public static var errorDomain: String { "Alamofire.AFError" }

    /// The number of the case.
    public var errorCode: Int {
        switch self {
        case .invalidURL: 0
        case .parameterEncodingFailed: 1
        case .multipartEncodingFailed: 2
        case .responseValidationFailed: 3
        case .responseSerializationFailed: 4
        }
    }

    /// The sentence; Foundation on Linux asks nothing else for it.
    public var errorUserInfo: [String: Any] {
        errorDescription.map { [NSLocalizedDescriptionKey: $0] } ?? [:]
    }
}
