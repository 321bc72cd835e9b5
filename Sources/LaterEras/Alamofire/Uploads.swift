public import Foundation
public import RequestEra

/// Makes an upload of a file with the default session manager, and resumes it.
@discardableResult
public func upload(
    _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(fileURL, to: url, method: method, headers: headers)
}

/// Makes an upload of a file with the default session manager, and resumes it.
@discardableResult
public func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(fileURL, with: urlRequest)
}

/// Makes an upload of bytes with the default session manager, and resumes it.
@discardableResult
public func upload(
    _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(data, to: url, method: method, headers: headers)
}

/// Makes an upload of bytes with the default session manager, and resumes it.
@discardableResult
public func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(data, with: urlRequest)
}

/// Makes an upload of a stream with the default session manager, and resumes it.
@discardableResult
public func upload(
    _ stream: InputStream, to url: any URLConvertible, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(stream, to: url, method: method, headers: headers)
}

/// Makes an upload of a stream with the default session manager, and resumes it.
@discardableResult
public func upload(
    _ stream: InputStream, with urlRequest: any URLRequestConvertible
) -> UploadRequest {
    SessionManager.default.upload(stream, with: urlRequest)
}

// MARK: - Forms

/// Encodes a form on another thread and uploads it with the default session manager.
///
/// - Parameter encodingCompletion: called on the main queue with the request, which was resumed, or with the error.
@preconcurrency
public func upload(
    multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
    usingThreshold encodingMemoryThreshold: UInt64 = SessionManager
        .multipartFormDataEncodingMemoryThreshold,
    to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
    encodingCompletion: (@Sendable (SessionManager.MultipartFormDataEncodingResult) -> Void)?
) {
    SessionManager.default.upload(
        multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, to: url,
        method: method, headers: headers, encodingCompletion: encodingCompletion)
}

/// Like `upload(multipartFormData:usingThreshold:to:method:headers:encodingCompletion:)`, with a request in place of the
/// URL, the method and the header fields.
@preconcurrency
public func upload(
    multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
    usingThreshold encodingMemoryThreshold: UInt64 = SessionManager
        .multipartFormDataEncodingMemoryThreshold,
    with urlRequest: any URLRequestConvertible,
    encodingCompletion: (@Sendable (SessionManager.MultipartFormDataEncodingResult) -> Void)?
) {
    SessionManager.default.upload(
        multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold,
        with: urlRequest, encodingCompletion: encodingCompletion)
}
