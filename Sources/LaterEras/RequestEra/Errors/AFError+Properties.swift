public import Foundation

extension AFError {
    /// Whether it is `invalidURL`.
    public var isInvalidURLError: Bool {
        if case .invalidURL = self { true } else { false }
    }

    /// Whether it is `parameterEncodingFailed`; then `underlyingError` is the writer's, if any.
    public var isParameterEncodingError: Bool {
        if case .parameterEncodingFailed = self { true } else { false }
    }

    /// Whether it is `multipartEncodingFailed`; then `url` and `underlyingError` are the reason's.
    public var isMultipartEncodingError: Bool {
        if case .multipartEncodingFailed = self { true } else { false }
    }

    /// Whether it is `responseValidationFailed`; then the types and the code are the reason's.
    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = self { true } else { false }
    }

    /// Whether it is `responseSerializationFailed`; then the encoding and the underlying error are
    /// the reason's.
    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = self { true } else { false }
    }

    /// What was no URL.
    public var urlConvertible: (any URLConvertible)? {
        if case .invalidURL(let url) = self { url } else { nil }
    }

    /// The file of a `multipartEncodingFailed`.
    public var url: URL? {
        if case .multipartEncodingFailed(let reason) = self { reason.url } else { nil }
    }

    /// The error beneath, such as Foundation's.
    public var underlyingError: (any Error)? {
        switch self {
        case .parameterEncodingFailed(let reason): reason.underlyingError
        case .multipartEncodingFailed(let reason): reason.underlyingError
        case .responseSerializationFailed(let reason): reason.underlyingError
        case .invalidURL, .responseValidationFailed: nil
        }
    }

    /// The types that a validation would have accepted.
    public var acceptableContentTypes: [String]? {
        if case .responseValidationFailed(let reason) = self {
            reason.acceptableContentTypes
        } else {
            nil
        }
    }

    /// The type that a validation refused.
    public var responseContentType: String? {
        if case .responseValidationFailed(.unacceptableContentType(_, let type)) = self {
            type
        } else {
            nil
        }
    }

    /// The status that a validation refused.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = self {
            code
        } else {
            nil
        }
    }

    /// The encoding in which the body is no text.
    public var failedStringEncoding: String.Encoding? {
        if case .responseSerializationFailed(.stringSerializationFailed(let encoding)) = self {
            encoding
        } else {
            nil
        }
    }
}

extension AFError.ParameterEncodingFailureReason {
    var underlyingError: (any Error)? {
        switch self {
        case .jsonEncodingFailed(let error), .propertyListEncodingFailed(let error): error
        case .missingURL: nil
        }
    }
}

extension AFError.MultipartEncodingFailureReason {
    var url: URL? {
        switch self {
        case .bodyPartURLInvalid(let url), .bodyPartFilenameInvalid(let url),
            .bodyPartFileNotReachable(let url), .bodyPartFileIsDirectory(let url),
            .bodyPartFileSizeNotAvailable(let url), .bodyPartInputStreamCreationFailed(let url),
            .outputStreamCreationFailed(let url), .outputStreamFileAlreadyExists(let url),
            .outputStreamURLInvalid(let url), .bodyPartFileNotReachableWithError(let url, _),
            .bodyPartFileSizeQueryFailedWithError(let url, _):
            url
        case .outputStreamWriteFailed, .inputStreamReadFailed: nil
        }
    }

    var underlyingError: (any Error)? {
        switch self {
        case .bodyPartFileNotReachableWithError(_, let error),
            .bodyPartFileSizeQueryFailedWithError(_, let error),
            .outputStreamWriteFailed(let error), .inputStreamReadFailed(let error):
            error
        default: nil
        }
    }
}

extension AFError.ResponseValidationFailureReason {
    var acceptableContentTypes: [String]? {
        switch self {
        case .missingContentType(let types), .unacceptableContentType(let types, _): types
        case .dataFileNil, .dataFileReadFailed, .unacceptableStatusCode: nil
        }
    }
}

extension AFError.ResponseSerializationFailureReason {
    var underlyingError: (any Error)? {
        switch self {
        case .jsonSerializationFailed(let error), .propertyListSerializationFailed(let error):
            error
        default: nil
        }
    }
}
