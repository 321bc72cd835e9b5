public import Foundation
import FoundationNetworking

// Uploads; a body of the request itself is not sent (AL-27).
extension SessionManager {
    /// Makes an upload of a file.
    @discardableResult
    public func upload(
        _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { .uploadFile(fileURL, $0) }
    }

    /// Makes an upload of a file.
    @discardableResult
    public func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest
    {
        upload(urlRequest) { .uploadFile(fileURL, $0) }
    }

    /// Makes an upload of bytes.
    @discardableResult
    public func upload(
        _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { .uploadData(data, $0) }
    }

    /// Makes an upload of bytes.
    @discardableResult
    public func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { .uploadData(data, $0) }
    }

    /// Makes an upload of a stream, which is read once.
    @discardableResult
    public func upload(
        _ stream: InputStream, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        let body = BodyOnce(stream)
        return upload(to: url, method, headers) { .uploadStream(body, $0) }
    }

    /// Makes an upload of a stream, which is read once.
    @discardableResult
    public func upload(
        _ stream: InputStream, with urlRequest: any URLRequestConvertible
    ) -> UploadRequest {
        let body = BodyOnce(stream)
        return upload(urlRequest) { .uploadStream(body, $0) }
    }

    private func upload(
        to url: any URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ source: (URLRequest) -> RequestSource
    ) -> UploadRequest {
        do {
            let urlRequest = try URLRequest(url: url, method: method, headers: headers)
            return start(source(urlRequest), UploadRequest.init)
        } catch {
            return fail(error) { UploadRequest($0) }
        }
    }

    private func upload(
        _ urlRequest: any URLRequestConvertible, _ source: (URLRequest) -> RequestSource
    ) -> UploadRequest {
        do {
            return start(source(try urlRequest.asURLRequest()), UploadRequest.init)
        } catch {
            return fail(error) { UploadRequest($0) }
        }
    }
}
