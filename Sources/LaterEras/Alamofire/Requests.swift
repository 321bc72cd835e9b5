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
