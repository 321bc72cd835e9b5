import Alamofire
import Foundation

/// A manager that restates the initializer, and has its way with every request.
class StrictManager: SessionManager {
    private(set) var asked: [String] = []

    override init(
        configuration: URLSessionConfiguration, delegate: SessionDelegate,
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil
    ) {
        super.init(
            configuration: configuration, delegate: delegate,
            serverTrustPolicyManager: serverTrustPolicyManager)
    }

    override func request(
        _ url: URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        var all = headers ?? [:]
        all["X-Strict"] = "1"
        return super.request(
            url, method: method, parameters: parameters, encoding: encoding, headers: all)
    }

    override func request(_ urlRequest: URLRequestConvertible) -> DataRequest {
        asked.append("request")
        return super.request(urlRequest).validate(statusCode: 200...299)
    }

    override func download(
        _ urlRequest: URLRequestConvertible,
        to destination: DownloadRequest.DownloadFileDestination?
    ) -> DownloadRequest {
        asked.append("download")
        return super.download(urlRequest, to: destination)
    }

    override func upload(_ fileURL: URL, with urlRequest: URLRequestConvertible) -> UploadRequest {
        asked.append("file")
        return super.upload(fileURL, with: urlRequest)
    }

    override func upload(_ data: Data, with urlRequest: URLRequestConvertible) -> UploadRequest {
        asked.append("data")
        return super.upload(data, with: urlRequest)
    }

    override func upload(
        _ stream: InputStream, with urlRequest: URLRequestConvertible
    ) -> UploadRequest {
        asked.append("stream")
        return super.upload(stream, with: urlRequest)
    }

    override func upload(
        multipartFormData: @escaping (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64,
        with urlRequest: URLRequestConvertible, queue: DispatchQueue?,
        encodingCompletion: ((MultipartFormDataEncodingResult) -> Void)?
    ) {
        asked.append("form")
        super.upload(
            multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold,
            with: urlRequest, queue: queue, encodingCompletion: encodingCompletion)
    }
}
