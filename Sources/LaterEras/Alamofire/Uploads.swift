public import Foundation
public import RequestEra

/// An upload of a file, already resumed.
@discardableResult
public func upload(
    _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(fileURL, to: url, method: method, headers: headers)
}

/// An upload of a file, already resumed.
@discardableResult
public func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(fileURL, with: urlRequest)
}

/// An upload of bytes, already resumed.
@discardableResult
public func upload(
    _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(data, to: url, method: method, headers: headers)
}

/// An upload of bytes, already resumed.
@discardableResult
public func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(data, with: urlRequest)
}

/// An upload of a stream, already resumed.
@discardableResult
public func upload(
    _ stream: InputStream, to url: any URLConvertible, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(stream, to: url, method: method, headers: headers)
}

/// An upload of a stream, already resumed.
@discardableResult
public func upload(
    _ stream: InputStream, with urlRequest: any URLRequestConvertible
) -> UploadRequest {
    SessionManager.default.upload(stream, with: urlRequest)
}

// MARK: - Forms

/// Encodes a form away from the caller's thread and uploads it; the completion is called on main with
/// the request, already resumed, or the error.
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

/// Encodes a form away from the caller's thread and uploads it with a request.
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
