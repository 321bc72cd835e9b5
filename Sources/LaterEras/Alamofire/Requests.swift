public import Foundation
public import RequestEra

// The functions of the module, which programs call as `Alamofire.request(…)`. Each is the method of the
// same name of `SessionManager.default`.

/// A data request of these parts, already resumed.
@discardableResult
public func request(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(
        url, method: method, parameters: parameters, encoding: encoding, headers: headers)
}

/// A data request, already resumed.
@discardableResult
public func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
    SessionManager.default.request(urlRequest)
}

// MARK: - Downloads

/// A download of these parts, already resumed; without a destination the file stays in the temporary
/// folder.
@discardableResult
@preconcurrency
public func download(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
    to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(
        url, method: method, parameters: parameters, encoding: encoding, headers: headers,
        to: destination)
}

/// A download, already resumed.
@discardableResult
@preconcurrency
public func download(
    _ urlRequest: any URLRequestConvertible,
    to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(urlRequest, to: destination)
}

/// The rest of a download that ended early, already resumed.
@discardableResult
@preconcurrency
public func download(
    resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(resumingWith: resumeData, to: destination)
}

// MARK: - Streams

/// Not to be had: there are no stream tasks on Linux.
@available(*, unavailable, message: "there are no stream tasks on Linux (LX-20)")
public func stream(withHostName hostName: String, port: Int) {}

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
